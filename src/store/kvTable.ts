/** A table of the store over a database of lmdb. */
import type { Database, Transaction } from 'lmdb'
import type { KvStatistics, KvTable } from './kv.ts'
import type { KvBatch } from './kvBatch.ts'

type Bytes = Uint8Array

/** What was written since the store was opened, while it is counted. */
export type Counters = { -readonly [key in keyof KvStatistics]: KvStatistics[key] }

// The library's types leave out that the fast read takes a transaction as `get` does.
type FastReads = {
  getBinaryFast(
    key: Bytes,
    options: { readonly transaction: Transaction } | undefined,
  ): Bytes | undefined
}

/** A plain array over bytes that lmdb has made for us alone. Its Buffers would share memory on `slice`. */
function plain(buffer: Bytes): Bytes {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

// lmdb asks for the address of every buffer that it writes from, and remembers it: small values share one. It takes the
// bytes from `start` to `end` of an array that has these.
const STAGING = Object.assign(new Uint8Array(4096), { start: 0, end: 0 })

function stagedValue(value: Bytes): Bytes {
  if (value.length > STAGING.length || value.length === 0) return value
  STAGING.set(value)
  STAGING.end = value.length
  return STAGING
}

/** Where puts go at the moment, and which snapshot reads see. */
export type Access = {
  /** Set inside `commit` with a writer thread. */
  batch: KvBatch | undefined
  /** What reads are to be made with; undefined inside `write`, which reads its own writes. */
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
      // The fast read hands out lmdb's own buffer, whose contents change with the next read.
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
