/** The snapshots of an application that has none. */
import { EMPTY_BYTES } from '../base/bytes.ts'
import type { SnapshotApplication } from './application.ts'

/** Lists nothing, gives nothing and takes nothing. */
export const NO_SNAPSHOTS: SnapshotApplication = {
  listSnapshots: () => [],
  loadSnapshotChunk: async () => EMPTY_BYTES,
  offerSnapshot: async () => 'abort',
  applySnapshotChunk: async () => ({ result: 'abort', refetchChunks: [], rejectSenders: [] }),
}
