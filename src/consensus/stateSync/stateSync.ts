/** State sync of the EVM application: takes snapshots at an interval, serves them, and restores those of others. */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { messageOf } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { createSlices } from '../../base/slices.ts'
import type { ChainRules } from '../../chain/executed.ts'
import {
  decodeMetadata,
  isChunk,
  SNAPSHOT_FORMAT,
  type SnapshotMetadata,
} from '../../ledger/snapshot/metadata.ts'
import type { Restore } from '../../ledger/snapshot/restore.ts'
import type { ChainGenesis, ChainStore } from '../../ledger/store.ts'
import type {
  ApplySnapshotChunkRequest,
  ApplySnapshotChunkResponse,
  OfferSnapshotRequest,
  Snapshot,
  SnapshotApplication,
} from '../application.ts'
import {
  listSnapshotFiles,
  pruneSnapshots,
  readChunk,
  removePartialSnapshots,
} from './snapshotFiles.ts'
import type { SnapshotTaker } from './taker.ts'
import type { Taken } from './takerProtocol.ts'

export type StateSyncOptions = {
  readonly store: ChainStore
  readonly rules: ChainRules
  /** Block 0, which every node has; its hash tells which chain a snapshot belongs to. */
  readonly genesis: ChainGenesis
  /** Folder of the snapshots; created when the first one is taken. */
  readonly folder: string
  /** Number of heights between two snapshots; 0 takes none. */
  readonly interval: number
  /** Number of snapshots kept on disk. */
  readonly keep: number
  readonly taker: SnapshotTaker | undefined
  /** Called for each snapshot that was taken. */
  readonly onTaken?: (height: number, taken: Taken) => void
  /** Called with the reason why a snapshot could not be taken or restored. */
  readonly onFault: (message: string) => void
  /** Called with the height when a chain was restored. */
  readonly onRestored: (height: number) => void
}

export type StateSync = SnapshotApplication & {
  /** Whether a snapshot was accepted whose chunks are still pending: there is no state yet. */
  isRestoring(): boolean
  /** Resolves when no snapshot is being taken. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** CometBFT asks for at most ten snapshots. */
const MOST_LISTED = 10

type Restoring = { readonly metadata: SnapshotMetadata; readonly restore: Restore; next: number }

/** Metadata that matches its snapshot and this chain; undefined for any other. */
function metadataOf(snapshot: Snapshot, genesisHash: Uint8Array): SnapshotMetadata | undefined {
  try {
    const metadata = decodeMetadata(snapshot.metadata)
    return metadata.height === snapshot.height &&
      metadata.chunkHashes.length === snapshot.chunks &&
      equalBytes(metadata.genesisHash, genesisHash) &&
      equalBytes(sha256(snapshot.metadata), snapshot.hash)
      ? metadata
      : undefined
  } catch {
    return undefined
  }
}

const answer = (
  result: ApplySnapshotChunkResponse['result'],
  rest: Partial<ApplySnapshotChunkResponse> = {},
): ApplySnapshotChunkResponse => ({ result, refetchChunks: [], rejectSenders: [], ...rest })

/** State sync over a chain's store. It follows the store's commits by itself. */
export function createStateSync(options: StateSyncOptions): StateSync {
  const { store, rules, genesis, folder, interval, keep, taker, onFault } = options
  let restoring: Restoring | undefined
  let taking: Promise<void> | undefined
  let isClosing = false

  removePartialSnapshots(folder)

  async function take(height: number, { take: run }: SnapshotTaker): Promise<void> {
    try {
      const taken = await run(height)
      pruneSnapshots(folder, keep)
      options.onTaken?.(height, taken)
    } catch (error) {
      if (!isClosing) onFault(`the snapshot of block ${height} was not taken: ${messageOf(error)}`)
    } finally {
      taking = undefined
    }
  }

  if (taker !== undefined && interval > 0)
    store.onCommit((height) => {
      // One at a time: a node that cannot keep up skips some.
      if (height > 0 && height % interval === 0 && taking === undefined)
        taking = take(height, taker)
    })

  function begin({ snapshot, appHash }: OfferSnapshotRequest, metadata: SnapshotMetadata): void {
    const restore = store.restore(genesis, rules, snapshot.height, appHash)
    restoring = { metadata, restore, next: 0 }
  }

  /** Applies a chunk whose hash is correct. If its contents are invalid, so is the snapshot. */
  async function apply(current: Restoring, chunk: Uint8Array): Promise<ApplySnapshotChunkResponse> {
    const { metadata, restore } = current
    try {
      await restore.apply(chunk)
      current.next++
      if (current.next < metadata.chunkHashes.length) return answer('accept')
      const slices = createSlices()
      const { height } = await restore.finish({
        pause: () => (slices.isOver() ? slices.next() : undefined),
      })
      restoring = undefined
      options.onRestored(height)
      return answer('accept')
    } catch (error) {
      restoring = undefined
      onFault(`the snapshot of block ${metadata.height} is refused: ${messageOf(error)}`)
      return answer('reject-snapshot')
    }
  }

  return {
    isRestoring: () => restoring !== undefined,
    listSnapshots: () => listSnapshotFiles(folder).slice(0, MOST_LISTED),
    async loadSnapshotChunk({ height, format, chunk }) {
      if (format !== SNAPSHOT_FORMAT) return EMPTY_BYTES
      return (await readChunk(folder, height, chunk)) ?? EMPTY_BYTES
    },
    async offerSnapshot(request) {
      const { snapshot, appHash } = request
      if (!store.isEmpty() && store.reader.latestHeight() > 0) return 'abort'
      if (snapshot.format !== SNAPSHOT_FORMAT) return 'reject-format'
      const metadata = metadataOf(snapshot, genesis.header.hash)
      if (metadata === undefined) return 'reject-sender'
      if (snapshot.height === 0 || snapshot.chunks === 0 || appHash.length !== 32) return 'reject'
      begin(request, metadata)
      return 'accept'
    },
    async applySnapshotChunk({ index, chunk, sender }: ApplySnapshotChunkRequest) {
      if (restoring === undefined || index !== restoring.next) return answer('abort')
      if (isChunk(restoring.metadata, index, chunk, sha256)) return await apply(restoring, chunk)
      const rejectSenders = sender === '' ? [] : [sender]
      return answer('retry', { refetchChunks: [index], rejectSenders })
    },
    async idle() {
      await taking
    },
    async close() {
      isClosing = true
      await taker?.close()
      await taking
    },
  }
}
