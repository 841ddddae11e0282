/** A table of the store, over a database of lmdb. Records carry a checksum there, which no caller sees (D85). */
import type { Database, Transaction } from 'lmdb'
import { messageOf } from '../base/errors.ts'
import type { KvBatch } from './kvBatch.ts'
import { KvCorruptionError } from './kvError.ts'
import { SEAL_SIZE, WRONG_CHECKSUM, type Seal } from './seal.ts'

/** A half-open range of keys. With `reverse` it runs downwards, and `start` is its upper end. */
export type KeyRange = {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/**
 * One table. Reads see one snapshot: the state after this store's last commit, or, in a read-only store, the last
 * committed state until the next turn of the event loop. Inside `write` they see their own writes too, inside `commit`
 * they do not. Returned bytes belong to the caller. A read of a damaged record throws KvCorruptionError.
 */
export type KvTable = {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): void
  remove(key: Uint8Array): void
  range(range: KeyRange): Iterable<KvRecord>
  /** Like `range`, for damaged stores: throws only when the tree itself is damaged. */
  examine(range: KeyRange): Iterable<ExaminedRecord>
  /**
   * The error to throw where what the table holds under a key, or that it holds nothing, contradicts other tables.
   * `reason` ends a sentence. Whoever watches the store for damage is told.
   */
  damaged(key: Uint8Array, reason: string): KvCorruptionError
}

export type KvRecord = { readonly key: Uint8Array; readonly value: Uint8Array }

/** A record, and what is wrong with it as the end of a sentence; then the value means nothing. */
export type ExaminedRecord = KvRecord & { readonly fault: string | undefined }

/** Counts of writes since the store was opened. */
export type KvStatistics = {
  readonly commits: number
  readonly puts: number
  readonly removes: number
  /** Bytes of keys and values put. */
  readonly bytesPut: number
}

type Bytes = Uint8Array

/** The statistics while they are counted. */
export type Counters = { -readonly [key in keyof KvStatistics]: KvStatistics[key] }

// The library's types omit that the fast read takes a transaction, as `get` does.
type FastReads = {
  getBinaryFast(
    key: Bytes,
    options: { readonly transaction: Transaction } | undefined,
  ): Bytes | undefined
}

/** A plain array over bytes that lmdb has allocated for us alone. Its Buffers would share memory on `slice`. */
function plain(buffer: Bytes): Bytes {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

/** A buffer with the range of it that lmdb writes. */
const stagingOf = (size: number) => Object.assign(new Uint8Array(size), { start: 0, end: 0 })

// lmdb looks up and remembers the address of every buffer that it writes from, so values share one.
let staging = stagingOf(4096)

/** Values above are rare: they would hold the memory. */
const MAX_STAGING = 1 << 20

/** A buffer for a record: the shared one, which grows, or one of its own. */
function roomFor(size: number): Bytes {
  if (size > MAX_STAGING) return new Uint8Array(size)
  if (size > staging.length) staging = stagingOf(2 ** Math.ceil(Math.log2(size)))
  staging.end = size
  return staging
}

/** The value as it is stored: with its checksum, in a buffer that the next call may overwrite. */
function stored(key: Bytes, value: Bytes, seal: Seal | undefined): Bytes {
  if (seal === undefined && (value.length === 0 || value.length > MAX_STAGING)) return value
  const record = roomFor(value.length + (seal === undefined ? 0 : SEAL_SIZE))
  record.set(value)
  seal?.write(key, record, value.length)
  return record
}

/** Current target of puts, the snapshot that reads see, and whom damage is reported to. */
export type Access = {
  /** Set inside `commit` with a writer thread. */
  batch: KvBatch | undefined
  /** The snapshot for reads; undefined inside `write`, which reads its own writes. */
  snapshot(): { readonly transaction: Transaction } | undefined
  /** Called before a read throws. */
  onCorruption(error: KvCorruptionError): void
}

/** A table over a database of the root. */
export type TableParts = {
  readonly database: Database<Bytes, Bytes>
  readonly name: string
  /** Its number in batches. */
  readonly number: number
  /** Undefined for a store without checksums, of an older program. */
  readonly seal: Seal | undefined
}

/** The table. */
export function tableOver(parts: TableParts, access: Access, counters: Counters): KvTable {
  const { database, name, number, seal } = parts
  const sealSize = seal === undefined ? 0 : SEAL_SIZE

  function damaged(key: Bytes | undefined, reason: string): KvCorruptionError {
    const error = new KvCorruptionError(name, key && new Uint8Array(key), reason)
    access.onCorruption(error)
    return error
  }

  /** What LMDB says about its own pages names no record. */
  function failureOf(error: unknown, key?: Bytes): unknown {
    if (error instanceof KvCorruptionError || !messageOf(error).includes('MDB_')) return error
    return damaged(key, `cannot be read: ${messageOf(error)}`)
  }

  function* examine({ start, end, reverse = false, limit }: KeyRange): Generator<ExaminedRecord> {
    const options = {
      reverse,
      ...(start && { start }),
      ...(end && { end }),
      ...(limit !== undefined && { limit }),
      ...access.snapshot(),
    }
    try {
      for (const entry of database.getRange(options)) {
        const key = plain(entry.key)
        const record = plain(entry.value)
        const fault = seal === undefined || seal.holds(key, record) ? undefined : WRONG_CHECKSUM
        yield { key, value: record.subarray(0, Math.max(0, record.length - sealSize)), fault }
      }
    } catch (error) {
      throw failureOf(error)
    }
  }

  return {
    get(key) {
      let shared: Bytes | undefined
      try {
        // The fast read hands out lmdb's own buffer, which the next read overwrites.
        shared = (database as FastReads).getBinaryFast(key, access.snapshot())
      } catch (error) {
        throw failureOf(error, key)
      }
      if (shared === undefined) return undefined
      const record = plain(shared)
      if (seal === undefined) return record.slice()
      if (!seal.holds(key, record)) throw damaged(key, WRONG_CHECKSUM)
      return record.slice(0, record.length - SEAL_SIZE)
    },
    put(key, value) {
      counters.puts++
      counters.bytesPut += key.length + value.length
      if (access.batch !== undefined) access.batch.put(number, key, value)
      else database.putSync(key, stored(key, value, seal))
    },
    remove(key) {
      counters.removes++
      if (access.batch === undefined) database.removeSync(key)
      else access.batch.remove(number, key)
    },
    *range(range) {
      for (const { key, value, fault } of examine(range)) {
        if (fault !== undefined) throw damaged(key, fault)
        yield { key, value }
      }
    },
    examine,
    damaged,
  }
}
