/** Computes again what a backup leaves out: the state trie, the indexes of hashes and logs, and the posting lists. */
import { equalBytes } from '../../base/bytes.ts'
import { runSteps } from '../../base/steps.ts'
import type { BlockHeader } from '../../chain/block.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import type { Kv } from '../../store/kv.ts'
import { writeHashes } from '../blocks/blockWriter.ts'
import { decodeHeaderRecord } from '../blocks/headerRecord.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { decodeDecided, decodeTransactions } from '../blocks/transactionsRecord.ts'
import { createHistoryTail } from '../history/tail.ts'
import { catchUpLogIndex } from '../logs/catchUp.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { buildStateTrie } from '../snapshot/buildTrie.ts'
import { openChangeset } from '../state/changeset.ts'
import { readFact, writeFact, type ChainTables } from '../tables.ts'
import type { Extent } from './read.ts'

/** Number of blocks that are indexed in one transaction. */
const BLOCKS_AT_ONCE = 200

/** The last block of a backup: of the height whose state it holds. */
export type RestoredTip = { readonly height: number; readonly stateRoot: Uint8Array }

function headerAt(tables: ChainTables, height: number): BlockHeader {
  const record = tables.headers.get(heightKey(height))
  if (record === undefined) throw new CorruptRecordError(`the header of block ${height} is missing`)
  return decodeHeaderRecord(record, height)
}

function* rangesOf(first: number, last: number): Generator<readonly [number, number]> {
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE)
    yield [from, Math.min(last, from + BLOCKS_AT_ONCE - 1)]
}

/** Indexes a block by its hashes, and checks that it follows the one before. */
function indexBlock(
  tables: ChainTables,
  header: BlockHeader,
  before: BlockHeader | undefined,
  sha256: Sha256,
): void {
  const { height } = header
  if (before !== undefined && !equalBytes(before.hash, header.parentHash))
    throw new CorruptRecordError(`block ${height} does not follow block ${before.height}`)
  tables.blockHashes.put(header.hash, heightKey(height))
  const record = tables.transactions.get(heightKey(height))
  if (record === undefined) return
  const block = { decided: decodeDecided(record), transactions: decodeTransactions(record) }
  runSteps(writeHashes(tables, height, block, sha256))
}

function indexBlocks(
  kv: Kv,
  tables: ChainTables,
  first: number,
  last: number,
  sha256: Sha256,
): void {
  const genesis = headerAt(tables, 0)
  kv.write(() => indexBlock(tables, genesis, undefined, sha256))
  let before = first <= 1 ? genesis : undefined
  for (const [from, to] of rangesOf(Math.max(1, first), last))
    kv.write(() => {
      for (let height = from; height <= to; height++) {
        const header = headerAt(tables, height)
        indexBlock(tables, header, before, sha256)
        before = header
      }
    })
}

function keysOf(tables: ChainTables, height: number): readonly Uint8Array[] {
  const record = tables.changesets.get(heightKey(height))
  if (record === undefined) return []
  const changeset = openChangeset(record)
  return Array.from({ length: changeset.size }, (_, index) => changeset.entry(index).key.slice())
}

/** The posting lists of all changes. What is left in memory at the end, every start reads from the changesets. */
function writePostings(kv: Kv, tables: ChainTables, first: number, last: number): void {
  kv.write(() => writeFact(tables, 'indexed', first))
  const tail = createHistoryTail(tables)
  tail.catchUp(first)
  for (let height = first + 1; height <= last; height++) {
    tail.add(height, keysOf(tables, height))
    let finish: (() => void) | undefined
    if (tail.isDue()) kv.write(() => (finish = runSteps(tail.writePart(Infinity))))
    finish?.()
  }
}

/**
 * Completes a store that has the records of a backup. Throws BadSnapshotError or CorruptRecordError when the state does
 * not have the signed root, or when blocks do not follow each other; the store is worthless then.
 */
export async function rebuildFromBackup(
  kv: Kv,
  tables: ChainTables,
  { height, stateRoot }: RestoredTip,
  { earliest, earliestState }: Pick<Extent, 'earliest' | 'earliestState'>,
  sha256: Sha256,
): Promise<void> {
  const built = await buildStateTrie(kv, tables)
  if (!equalBytes(built, stateRoot))
    throw new CorruptRecordError(
      `the state does not have the root that is signed for block ${height}`,
    )
  if (!equalBytes(headerAt(tables, height).stateRoot, stateRoot))
    throw new CorruptRecordError(
      `the header of block ${height} does not have the signed state root`,
    )
  indexBlocks(kv, tables, earliest, height, sha256)
  writePostings(kv, tables, earliestState, height)
  kv.write(() => {
    if (earliest > 0) writeFact(tables, 'earliest', earliest)
    if (earliestState > 0) writeFact(tables, 'earliestState', earliestState)
    writeFact(tables, 'checkpoint', height)
  })
  catchUpLogIndex(kv, tables, height)
  // Last: without it there is no chain.
  kv.write(() => {
    if (readFact(tables, 'indexed') === undefined) writeFact(tables, 'indexed', earliestState)
    writeFact(tables, 'tip', height)
  })
}
