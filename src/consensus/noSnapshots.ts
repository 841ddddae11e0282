/** The snapshots of an application that supports none. */
import { EMPTY_BYTES } from '../base/bytes.ts'
import type { SnapshotApplication } from './application.ts'

/** Lists, serves and restores nothing. */
export const NO_SNAPSHOTS: SnapshotApplication = {
  listSnapshots: () => [],
  loadSnapshotChunk: async () => EMPTY_BYTES,
  offerSnapshot: async () => 'abort',
  applySnapshotChunk: async () => ({ result: 'abort', refetchChunks: [], rejectSenders: [] }),
}
