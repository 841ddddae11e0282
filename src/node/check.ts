/**
 * Checks the consistency of a home's chain: the full check (`assay node check`), and the short one after an unclean
 * stop.
 */
import { UserError } from '../base/errors.ts'
import { sha256 } from '../base/sha256.ts'
import { checkBlock } from '../ledger/check.ts'
import { indexedBlock, type AddressIndex } from '../ledger/events/addressIndex.ts'
import { holdsLogEntries, type LogTables } from '../ledger/logs/logIndex.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { BlockStore } from '../consensus/embedded/blockStore.ts'
import { checkDecided } from '../consensus/embedded/check.ts'

/** Result of a check: faults in decided data, which cannot be rebuilt, and in what is derived from it. */
export type Faults = { readonly decided: readonly string[]; readonly derived: readonly string[] }

/** Number of blocks that are checked at a start after a crash. */
const RECENT_BLOCKS = 16

export type CheckedChain = {
  readonly chainId: string
  readonly reader: ChainReader
  readonly blocks: BlockStore
  readonly addresses: AddressIndex
  readonly tables: LogTables
}

function describe(error: unknown, height: number): string {
  return `block ${height} cannot be read: ${String(error)}`
}

/** Checks the blocks first…last. `onBlock` is called with each height when it is done. */
export function checkBlocks(
  { chainId, reader, blocks, addresses, tables }: CheckedChain,
  first: number,
  last: number,
  onBlock: (height: number) => void,
): Faults {
  const decided: string[] = []
  const derived: string[] = []
  // With CometBFT, decided data is in its own store.
  const isDecidedHere = blocks.state() !== undefined
  for (let height = first; height <= last; height++) {
    try {
      const txs = (reader.decided(height) ?? []).map(({ raw }) => raw)
      if (isDecidedHere) decided.push(...checkDecided(blocks, chainId, height, txs))
    } catch (error) {
      decided.push(describe(error, height))
    }
    try {
      derived.push(...checkBlock(reader, height, sha256))
      if (!addresses.holds(height, indexedBlock(reader, height)))
        derived.push(`index by address of block ${height}`)
      if (!holdsLogEntries(tables, height)) derived.push(`index of logs of block ${height}`)
    } catch (error) {
      derived.push(describe(error, height))
    }
    onBlock(height)
  }
  return { decided, derived }
}

/** The lowest height with a block: genesis has none. */
export function firstBlock(reader: ChainReader): number {
  return Math.max(1, reader.earliestHeight())
}

/** The short form: the last blocks. Throws UserError that says what is wrong and how to repair it. */
export function checkRecent(chain: CheckedChain, homeFolder: string): void {
  const last = chain.reader.latestHeight()
  const first = Math.max(firstBlock(chain.reader), last - RECENT_BLOCKS + 1)
  const { decided, derived } = checkBlocks(chain, first, last, () => undefined)
  const [fault] = [...decided, ...derived]
  if (fault === undefined) return
  throw new UserError(
    `the store is damaged: ${fault}`,
    `Run: assay node check --repair --home ${homeFolder}`,
  )
}
