/**
 * Pruning: old state history and old blocks are removed from the store, a few heights with each block, in the block's
 * own transaction. Inside the windows nothing changes: states, proofs, blocks, searches.
 */
import type { Sha256 } from '../proof/comet/crypto.ts'
import { heightKey } from './blocks/heightKey.ts'
import { removeBlock } from './blocks/removeBlock.ts'
import { removePosting } from './history/postings.ts'
import { openChangeset } from './state/changeset.ts'
import { isAccountKey } from './state/flatKey.ts'
import { readFact, writeFact, type ChainTables } from './tables.ts'

/** Numbers of heights that are kept, including the last one. States older than the kept blocks are never kept. */
export type PruningWindow = {
  readonly states: number
  readonly blocks: number
}

/** Minimum number of blocks to keep: those whose hashes contracts can read (BLOCKHASH). */
export const MIN_KEPT_BLOCKS = 256

/** Maximum number of heights pruned with one block, so that a chain that starts to prune catches up without stalling. */
const HEIGHTS_PER_BLOCK = 16

export type Pruner = {
  /** Lowest block that will be kept once the next block is written; 0 while nothing was pruned. */
  retainHeight(): number
  /** Removes what fell out of the windows with the last block, in the next block's write transaction. */
  prune(): void
}

type Floors = { readonly blocks: number; readonly states: number }

/** The pruner of a chain. It keeps what a restart needs: the blocks since the trie's checkpoint, and unindexed changes. */
export function createPruner(tables: ChainTables, window: PruningWindow, sha256: Sha256): Pruner {
  const fact = (name: Parameters<typeof readFact>[1]): number => readFact(tables, name) ?? 0

  function nextFloors(): Floors {
    const tip = fact('tip')
    const needed = Math.min(fact('checkpoint'), fact('indexed'))
    const floor = (reached: number, kept: number): number =>
      Math.max(reached, Math.min(tip - kept + 1, needed, reached + HEIGHTS_PER_BLOCK))
    const blocks = floor(fact('earliest'), window.blocks)
    return { blocks, states: Math.max(blocks, floor(fact('earliestState'), window.states)) }
  }

  function removeHistory(height: number): void {
    const record = tables.changesets.get(heightKey(height))
    if (record === undefined) return
    const changeset = openChangeset(record)
    for (let i = 0; i < changeset.size; i++) {
      const { key } = changeset.entry(i)
      removePosting(isAccountKey(key) ? tables.accountHistory : tables.slotHistory, key, height)
    }
    tables.changesets.remove(heightKey(height))
  }

  return {
    retainHeight: () => nextFloors().blocks,
    prune() {
      const { blocks, states } = nextFloors()
      const [firstBlock, firstState] = [fact('earliest'), fact('earliestState')]
      // The state of a height is read through the changes after it, so its own are not needed.
      for (let height = firstState; height < states; height++) removeHistory(height + 1)
      for (let height = firstBlock; height < blocks; height++) {
        // Genesis tells which chain this is.
        if (height > 0) removeBlock(tables, height, sha256)
      }
      if (states > firstState) writeFact(tables, 'earliestState', states)
      if (blocks > firstBlock) writeFact(tables, 'earliest', blocks)
    },
  }
}
