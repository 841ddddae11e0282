/** Backfills the index of logs up to the last block, in a store of a version without it. */
import type { Kv } from '../../store/kv.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { readFact, writeFact, type ChainTables } from '../tables.ts'
import { putLogEntries } from './logIndex.ts'

/** Number of blocks that one write transaction adds. */
const BLOCKS_AT_ONCE = 500

/** Adds the committed blocks that are missing. After a crash it resumes at the next start. */
export function catchUpLogIndex(kv: Kv, tables: ChainTables, tip: number): void {
  const first = readFact(tables, 'earliest') ?? 0
  for (let from = Math.max(first, (readFact(tables, 'logsIndexed') ?? -1) + 1); from <= tip;) {
    const to = Math.min(tip, from + BLOCKS_AT_ONCE - 1)
    kv.write(() => {
      for (let height = from; height <= to; height++) {
        const record = tables.logs.get(heightKey(height))
        if (record !== undefined) putLogEntries(tables.logIndex, height, record)
      }
      writeFact(tables, 'logsIndexed', to)
    })
    from = to + 1
  }
}
