/** Rolls back one block: restores the state before the last block from the old values in its changeset. */
import { UserError } from '../base/errors.ts'
import type { Sha256 } from '../proof/comet/crypto.ts'
import { heightKey } from './blocks/heightKey.ts'
import { removeBlock } from './blocks/removeBlock.ts'
import { unpost } from './history/postings.ts'
import { openChangeset, type Change } from './state/changeset.ts'
import { isAccountKey } from './state/flatKey.ts'
import { readFact, writeFact, type ChainTables } from './tables.ts'

function changesOf(tables: ChainTables, height: number): readonly Change[] {
  const record = tables.changesets.get(heightKey(height))
  if (record === undefined) return []
  const changeset = openChangeset(record)
  return Array.from({ length: changeset.size }, (_, index) => changeset.entry(index))
}

/**
 * Removes the last block from the chain, inside a write transaction; a store that is opened afterwards is at the
 * previous block. Throws UserError if that block's state is not kept.
 */
export function rollbackBlock(tables: ChainTables, sha256: Sha256): void {
  const tip = readFact(tables, 'tip') ?? 0
  if (tip === 0) throw new UserError('the chain has no block yet', 'There is nothing to roll back.')
  if (tip - 1 < (readFact(tables, 'earliestState') ?? 0))
    throw new UserError(`the state before block ${tip} is pruned`, 'Restore a backup instead.')
  if ((readFact(tables, 'checkpoint') ?? 0) >= tip)
    throw new UserError(
      `the state trie was stored with block ${tip} and cannot be rolled back past it`,
      'Start the node until it has made one more block, and roll that one back.',
    )

  for (const { key, old } of changesOf(tables, tip)) {
    const isAccount = isAccountKey(key)
    const flat = isAccount ? tables.accounts : tables.slots
    if (old.length === 0) flat.remove(key)
    else flat.put(key, old)
    // Also if `indexed` is lower: some of the lists may have been written ahead of it.
    unpost(isAccount ? tables.accountHistory : tables.slotHistory, key, tip)
  }
  tables.changesets.remove(heightKey(tip))
  removeBlock(tables, tip, sha256)
  if ((readFact(tables, 'indexed') ?? 0) >= tip) writeFact(tables, 'indexed', tip - 1)
  writeFact(tables, 'tip', tip - 1)
}
