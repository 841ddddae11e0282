/** The search for logs: blooms tell which blocks to look into, their logs decide. */
import type { KvTable } from '../../store/kv.ts'
import type { BlockHeader } from '../block.ts'
import type { TransactionLogs } from '../blocks/logsRecord.ts'
import type { LocatedLog, LogCriteria } from '../reader.ts'
import { SECTION_SIZE, sectionBlooms, sectionOf } from './bloomSections.ts'
import { createBloomTest, matchesLog } from './criteria.ts'

/** What a search reads. */
export type LogSource = {
  readonly blooms: KvTable
  header(height: number): BlockHeader | undefined
  blockLogs(height: number): readonly TransactionLogs[]
}

type BloomTest = (bloom: Uint8Array) => boolean

/** Heights of first…last whose bloom passes, in order. Sections that end by `tip` are stored, others are not yet. */
function* candidates(
  source: LogSource,
  first: number,
  last: number,
  tip: number,
  passes: BloomTest,
): Generator<number> {
  for (let height = first; height <= last;) {
    const start = sectionOf(height) * SECTION_SIZE
    const end = Math.min(last, start + SECTION_SIZE - 1)
    if (start + SECTION_SIZE - 1 <= tip) {
      for (const { offset, bloom } of sectionBlooms(source.blooms, sectionOf(height)))
        if (start + offset >= height && start + offset <= end && passes(bloom)) yield start + offset
    } else {
      for (let recent = height; recent <= end; recent++) {
        const bloom = source.header(recent)?.logsBloom
        if (bloom !== undefined && passes(bloom)) yield recent
      }
    }
    height = end + 1
  }
}

function* matchesIn(
  header: BlockHeader,
  blockLogs: readonly TransactionLogs[],
  criteria: LogCriteria,
): Generator<LocatedLog> {
  let logIndex = 0
  for (const { transactionIndex, transactionHash, logs } of blockLogs)
    for (const log of logs) {
      if (matchesLog(criteria, log))
        yield {
          height: header.height,
          blockHash: header.hash,
          timeNs: header.timeNs,
          transactionHash,
          transactionIndex,
          logIndex,
          address: log.address,
          topics: log.topics,
          data: log.data,
        }
      logIndex++
    }
}

/** The logs of the heights first…last, of which `tip` is the greatest, that meet the criteria. */
export function* searchLogs(
  source: LogSource,
  first: number,
  last: number,
  tip: number,
  criteria: LogCriteria,
): Generator<LocatedLog> {
  const passes = createBloomTest(criteria)
  for (const height of candidates(source, Math.max(0, first), Math.min(last, tip), tip, passes)) {
    const header = source.header(height)
    if (header !== undefined) yield* matchesIn(header, source.blockLogs(height), criteria)
  }
}
