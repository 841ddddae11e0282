/** Metadata of a snapshot, sent before its chunks: its chain and height, and each chunk's hash. */
import { equalBytes } from '../../base/bytes.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import { CorruptRecordError, createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

/** Version of metadata and chunks. */
export const SNAPSHOT_FORMAT = 1

const HASH_SIZE = 32

export type SnapshotMetadata = {
  readonly height: number
  /** SHA-256 of genesis.json. */
  readonly genesisHash: Uint8Array
  /** SHA-256 of each chunk. */
  readonly chunkHashes: readonly Uint8Array[]
}

/** The bytes of metadata: 32 for each chunk, and a few more. */
export function encodeMetadata(metadata: SnapshotMetadata): Uint8Array {
  return writeRecord((writer) => {
    writer.varint(metadata.height)
    writer.fixed(metadata.genesisHash)
    writer.varint(metadata.chunkHashes.length)
    for (const hash of metadata.chunkHashes) writer.fixed(hash)
  })
}

/** Throws CorruptRecordError. */
export function decodeMetadata(bytes: Uint8Array): SnapshotMetadata {
  const reader = createRecordReader(bytes)
  const height = reader.varint()
  const genesisHash = reader.fixed(HASH_SIZE)
  const count = reader.varint()
  if (count * HASH_SIZE > bytes.length)
    throw new CorruptRecordError('metadata of a snapshot tells more chunks than it has hashes')
  const chunkHashes = Array.from({ length: count }, () => reader.fixed(HASH_SIZE))
  if (!reader.isAtEnd()) throw new CorruptRecordError('metadata of a snapshot is too long')
  return { height, genesisHash, chunkHashes }
}

/** Whether a chunk has the hash that the metadata lists at its index. */
export function isChunk(
  { chunkHashes }: SnapshotMetadata,
  index: number,
  chunk: Uint8Array,
  sha256: Sha256,
): boolean {
  const expected = chunkHashes[index]
  return expected !== undefined && equalBytes(sha256(chunk), expected)
}
