/** The search for logs: blooms tell which blocks to look into, their logs decide. */
import type { KvTable } from '../../store/kv.ts'
import type { BlockHeader } from '../block.ts'
import { placesOf } from '../blocks/logsRecord.ts'
import type { BlockLogs, LogCriteria } from '../reader.ts'
import { SECTION_SIZE, sectionBlooms, sectionOf } from './bloomSections.ts'
import { createBloomTest, createLogTest } from './criteria.ts'

/** What a search reads. */
export type LogSource = {
  readonly blooms: KvTable
  header(height: number): BlockHeader | undefined
  /** The record of a block's logs, empty where it has none. */
  logsRecord(height: number): Uint8Array
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

/** The logs of the heights first…last that meet the criteria, block by block. `tip` is the greatest height. */
export function* searchLogs(
  source: LogSource,
  first: number,
  last: number,
  tip: number,
  criteria: LogCriteria,
): Generator<BlockLogs> {
  const passes = createBloomTest(criteria)
  const matches = createLogTest(criteria)
  for (const height of candidates(source, Math.max(0, first), Math.min(last, tip), tip, passes)) {
    const header = source.header(height)
    if (header === undefined) continue
    const record = source.logsRecord(height)
    const places = placesOf(record).filter((place) => matches(record, place))
    if (places.length > 0) yield { header, record, places }
  }
}
