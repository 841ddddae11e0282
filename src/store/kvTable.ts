/** A table of the store, over a database of lmdb. */
import type { Database, Transaction } from 'lmdb'
import type { KvBatch } from './kvBatch.ts'

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
 * they do not. Returned bytes belong to the caller.
 */
export type KvTable = {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): void
  remove(key: Uint8Array): void
  range(range: KeyRange): Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>
}

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

// lmdb looks up and remembers the address of every buffer that it writes from, so small values share one. Of an array
// with `start` and `end` it writes only that range.
const STAGING = Object.assign(new Uint8Array(4096), { start: 0, end: 0 })

function stagedValue(value: Bytes): Bytes {
  if (value.length > STAGING.length || value.length === 0) return value
  STAGING.set(value)
  STAGING.end = value.length
  return STAGING
}

/** Current target of puts, and the snapshot that reads see. */
export type Access = {
  /** Set inside `commit` with a writer thread. */
  batch: KvBatch | undefined
  /** The snapshot for reads; undefined inside `write`, which reads its own writes. */
  snapshot(): { readonly transaction: Transaction } | undefined
}

/** A table over a database of the root; `number` is its number in batches. */
export function tableOver(
  database: Database<Bytes, Bytes>,
  number: number,
  access: Access,
  counters: Counters,
): KvTable {
  return {
    get(key) {
      // The fast read hands out lmdb's own buffer, which the next read overwrites.
      const shared = (database as FastReads).getBinaryFast(key, access.snapshot())
      return shared && plain(shared).slice()
    },
    put(key, value) {
      counters.puts++
      counters.bytesPut += key.length + value.length
      if (access.batch === undefined) database.putSync(key, stagedValue(value))
      else access.batch.put(number, key, value)
    },
    remove(key) {
      counters.removes++
      if (access.batch === undefined) database.removeSync(key)
      else access.batch.remove(number, key)
    },
    *range({ start, end, reverse = false, limit }) {
      const options = {
        reverse,
        ...(start && { start }),
        ...(end && { end }),
        ...(limit !== undefined && { limit }),
        ...access.snapshot(),
      }
      for (const { key, value } of database.getRange(options))
        yield { key: plain(key), value: plain(value) }
    },
  }
}
