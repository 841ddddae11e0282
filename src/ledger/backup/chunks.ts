/**
 * Chunks of a backup: records of tables, as the tables hold them. A chunk of the state ends where a key says so, and not
 * after a number of bytes, so that a changed record changes its own chunk alone.
 */
import { concatAll } from '../../base/bytes.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

/** A record; `table` is a position in the backup's list of tables. */
export type BackupEntry = {
  readonly table: number
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Size of a chunk in bytes beyond which no record is added; one record may be larger. */
const MAX_CHUNK = 4 << 20

/** A chunk of the state ends behind one in so many keys on average: about 256 kB of accounts. */
const KEYS_PER_CHUNK = 4096

function encodeEntry({ table, key, value }: BackupEntry): Uint8Array {
  return writeRecord((writer) => {
    writer.byte(table)
    writer.bytes(key)
    writer.bytes(value)
  })
}

/** FNV-1a: where chunks end needs no protection, since a chunk is named after its SHA-256. */
function isLastOfChunk(key: Uint8Array): boolean {
  let hash = 0x811c9dc5
  for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % KEYS_PER_CHUNK === 0
}

function* pack(
  entries: Iterable<BackupEntry>,
  endsBehind: (key: Uint8Array) => boolean,
): Generator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  for (const entry of entries) {
    const encoded = encodeEntry(entry)
    if (size > 0 && size + encoded.length > MAX_CHUNK) {
      yield concatAll(parts)
      parts = []
      size = 0
    }
    parts.push(encoded)
    size += encoded.length
    if (!endsBehind(entry.key)) continue
    yield concatAll(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield concatAll(parts)
}

/** Chunks of records that never change, such as those of blocks. */
export function packBlocks(entries: Iterable<BackupEntry>): Generator<Uint8Array> {
  return pack(entries, () => false)
}

/** Chunks of records in ascending order of their keys, some of which are others in the next backup. */
export function packState(entries: Iterable<BackupEntry>): Generator<Uint8Array> {
  return pack(entries, isLastOfChunk)
}

/** The records of a chunk; they do not share its memory. Throws CorruptRecordError. */
export function* unpackEntries(chunk: Uint8Array): Generator<BackupEntry> {
  const reader = createRecordReader(chunk)
  while (!reader.isAtEnd()) {
    const table = reader.byte()
    yield { table, key: reader.bytes().slice(), value: reader.bytes().slice() }
  }
}
