/**
 * Contents of a snapshot's chunks: records of the chain, in ascending order of kind and key. A chunk can be read alone.
 * An entry: kind, number of bytes shared with the previous key, the rest of the key, the value.
 */
import { compareBytes, concatAll, EMPTY_BYTES } from '../../base/bytes.ts'
import { createRecordReader, CorruptRecordError } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

/** Kinds of entries by what their keys are. */
export const KIND = {
  /** height → header. */
  header: 0,
  /** part → a part of the record of the last block's transactions; the same for the next three. */
  transactions: 1,
  receipts: 2,
  logs: 3,
  validatorUpdates: 4,
  /** address → account. */
  account: 5,
  /** code hash → code. */
  code: 6,
  /** address, slot → value. */
  slot: 7,
} as const

export type EntryKind = (typeof KIND)[keyof typeof KIND]

export type SnapshotEntry = {
  readonly kind: EntryKind
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Size of a chunk in bytes, unless one entry is larger. Part of the format: a CometBFT message carries up to 16 MB. */
export const CHUNK_SIZE = 8 << 20

/** Bytes of an entry besides suffix and value: kind, shared length, two lengths. */
const MOST_OVERHEAD = 1 + 1 + 1 + 4

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a[length] === b[length]) length++
  return length
}

/** Packs entries into chunks. Where a chunk ends depends only on the entries. */
export function* packChunks(
  entries: Iterable<SnapshotEntry>,
  chunkSize = CHUNK_SIZE,
): Generator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  let before: Uint8Array = EMPTY_BYTES
  for (const { kind, key, value } of entries) {
    if (size > 0 && size + key.length + value.length + MOST_OVERHEAD > chunkSize) {
      yield concatAll(parts)
      parts = []
      size = 0
      before = EMPTY_BYTES
    }
    const shared = sharedLength(before, key)
    const entry = writeRecord((writer) => {
      writer.byte(kind)
      writer.varint(shared)
      writer.part(key, shared, key.length)
      writer.bytes(value)
    })
    parts.push(entry)
    size += entry.length
    before = key
  }
  if (size > 0) yield concatAll(parts)
}

function isKind(value: number): value is EntryKind {
  return value <= KIND.slot
}

/** The entries of a chunk. Keys and values do not share its memory. Throws CorruptRecordError. */
export function* unpackChunk(chunk: Uint8Array): Generator<SnapshotEntry> {
  const reader = createRecordReader(chunk)
  let before: Uint8Array = EMPTY_BYTES
  while (!reader.isAtEnd()) {
    const kind = reader.byte()
    if (!isKind(kind)) throw new CorruptRecordError(`a snapshot has no entries of kind ${kind}`)
    const shared = reader.varint()
    if (shared > before.length)
      throw new CorruptRecordError('a key of a snapshot refers to one that is too short')
    const suffix = reader.bytes()
    const key = new Uint8Array(shared + suffix.length)
    key.set(before.subarray(0, shared))
    key.set(suffix, shared)
    yield { kind, key, value: reader.bytes().slice() }
    before = key
  }
}

/** Whether an entry sorts after another one. */
export function isAfter(entry: SnapshotEntry, before: SnapshotEntry): boolean {
  return entry.kind === before.kind
    ? compareBytes(entry.key, before.key) > 0
    : entry.kind > before.kind
}
