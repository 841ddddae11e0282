/** The blocks of a backup, in segments: a complete one never changes, and is taken over by every later backup. */
import { ENGINE_TABLES } from '../../consensus/embedded/blockStore.ts'
import { packBlocks } from '../../ledger/backup/chunks.ts'
import {
  BLOCK_TABLES,
  blockEntries,
  STATE_TABLES,
  type Extent,
  type NumberedTable,
} from '../../ledger/backup/read.ts'
import type { OfflineChain } from '../offline.ts'
import type { Manifest, Segment } from './manifest.ts'
import type { Repository } from './repository.ts'

/** Number of blocks whose chunks are listed together; a complete list is taken over by the next backup. */
const SEGMENT_BLOCKS = 1024

/** All tables of a backup; entries name them by position. */
export const TABLE_NAMES: readonly string[] = [
  ...BLOCK_TABLES,
  ...STATE_TABLES,
  ...Object.values(ENGINE_TABLES),
]
/** The position of a table. */
export function numberOf(name: string): number {
  return TABLE_NAMES.indexOf(name)
}

/** The complete segments of an earlier backup, by their last heights. */
function completeSegments(earlier: Manifest | undefined): ReadonlyMap<number, Segment> {
  const complete = earlier?.blocks.filter(({ first, last }) => last === segmentEnd(first)) ?? []
  return new Map(complete.map((segment) => [segment.last, segment]))
}

function segmentEnd(first: number): number {
  return (Math.floor(first / SEGMENT_BLOCKS) + 1) * SEGMENT_BLOCKS - 1
}

function blockTables({ kv, tables }: OfflineChain): readonly NumberedTable[] {
  return [
    ...BLOCK_TABLES.map((name) => ({ number: numberOf(name), table: tables[name] })),
    { number: numberOf(ENGINE_TABLES.blocks), table: kv.table(ENGINE_TABLES.blocks) },
  ]
}

/**
 * Stores the blocks of a chain up to a height. Those that `earlier`, a backup of the same chain, has in complete segments
 * are not read. Throws StateUnavailableError when pruning overtakes it.
 */
export function backUpBlocks(
  repository: Repository,
  chain: OfflineChain,
  { earliest }: Extent,
  height: number,
  earlier: Manifest | undefined,
  onProgress: (step: string, done: number, of: number) => void,
): readonly Segment[] {
  const reusable = completeSegments(earlier)
  const segments: Segment[] = []
  for (let first = Math.max(1, earliest); first <= height; first = segmentEnd(first) + 1) {
    const last = Math.min(height, segmentEnd(first))
    const known = reusable.get(last)
    if (
      known !== undefined &&
      known.first <= first &&
      known.chunks.every((chunk) => repository.has(chunk))
    )
      segments.push(known)
    else {
      const entries = blockEntries(chain.kv, blockTables(chain), first, last)
      const chunks = Array.from(packBlocks(entries), (bytes) => repository.put(bytes))
      segments.push({ first, last, chunks })
    }
    onProgress('Blocks', last, height)
  }
  return segments
}
