/** The search for logs: an index selects candidate blocks, their logs decide. */
import type { KvTable } from '../../store/kvTable.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { placesOf } from '../blocks/logsRecord.ts'
import type { BlockLogs, LogCriteria } from '../../chain/reader.ts'
import { createBloomTest, createLogTest } from './criteria.ts'
import { commonHeights, heightsOfCode, unionOf } from './heights.ts'
import { addressCode, ANY_LOG, topicCode, type LogCode } from './logIndex.ts'

/** Source of a search. */
export type LogSource = {
  readonly index: KvTable
  header(height: number): BlockHeader | undefined
  /** The record of a block's logs, empty if it has none. */
  logsRecord(height: number): Uint8Array
}

/**
 * Up to this number of blocks, their headers' blooms are tested instead of the index: a subscription reads one block,
 * which is in memory.
 */
const FEW_BLOCKS = 4

function* heightsByBloom(
  source: LogSource,
  first: number,
  last: number,
  criteria: LogCriteria,
): Generator<number> {
  const passes = createBloomTest(criteria)
  for (let height = first; height <= last; height++) {
    const bloom = source.header(height)?.logsBloom
    if (bloom !== undefined && passes(bloom)) yield height
  }
}

function heightsByIndex(
  { index }: LogSource,
  first: number,
  last: number,
  { addresses, topics }: LogCriteria,
): Iterable<number> {
  const wanted: readonly LogCode[][] = [
    addresses.map(addressCode),
    ...topics.map((some, position) => some.map((topic) => topicCode(topic, position))),
  ]
  const groups = wanted.filter((codes) => codes.length > 0)
  const all = (groups.length > 0 ? groups : [[ANY_LOG]]).map((codes) =>
    unionOf(codes.map((code) => heightsOfCode(index, code, last))),
  )
  return commonHeights(all, first)
}

/**
 * The logs of the heights first…last that match the criteria, block by block; see `ChainReader.logs`. The index has
 * only committed blocks, and `last` may be beyond them.
 */
export function* searchLogs(
  source: LogSource,
  first: number,
  last: number,
  criteria: LogCriteria,
): Generator<BlockLogs> {
  const matches = createLogTest(criteria)
  const heightsOf = last - first < FEW_BLOCKS ? heightsByBloom : heightsByIndex
  for (const height of heightsOf(source, first, last, criteria)) {
    const header = source.header(height)
    if (header === undefined) continue
    const record = source.logsRecord(height)
    yield { header, record, places: placesOf(record, matches) }
  }
}
