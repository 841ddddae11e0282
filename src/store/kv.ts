/** The ordered key-value store under the chain: LMDB (D38). Keys and values are bytes; each table is a database of its own. */
import { ABORT, open, type Database, type RootDatabase } from 'lmdb'

/** A half-open range of keys, in key order or against it. */
export type KeyRange = {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/** One table. Reads outside of `write` see the last committed state; inside, their own writes too. */
export type KvTable = {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): void
  remove(key: Uint8Array): void
  range(range: KeyRange): Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>
}

export type Kv = {
  table(name: string): KvTable
  /**
   * Runs `action` in one write transaction and returns when it is synced to disk. Nested calls join the outermost one.
   * When `action` throws, nothing is written. A failed sync ends the process (D54).
   */
  write<T>(action: () => T): T
  close(): Promise<void>
}

const MAX_TABLES = 32

function tableOf(database: Database<Uint8Array, Buffer>): KvTable {
  return {
    get: (key) => database.getBinary(Buffer.from(key.buffer, key.byteOffset, key.length)),
    put: (key, value) => {
      database.putSync(Buffer.from(key), Buffer.from(value))
    },
    remove: (key) => {
      database.removeSync(Buffer.from(key))
    },
    *range({ start, end, reverse = false, limit }) {
      const options = {
        reverse,
        ...(start && { start: Buffer.from(start) }),
        ...(end && { end: Buffer.from(end) }),
        ...(limit !== undefined && { limit }),
      }
      for (const { key, value } of database.getRange(options)) yield { key, value }
    },
  }
}

/** Opens the store in a folder, which is made when it does not exist. */
export function openKv(folder: string, options: { readonly readOnly?: boolean } = {}): Kv {
  const root: RootDatabase<Uint8Array, Buffer> = open({
    path: folder,
    encoding: 'binary',
    keyEncoding: 'binary',
    compression: false,
    maxDbs: MAX_TABLES,
    readOnly: options.readOnly ?? false,
  })
  const tables = new Map<string, KvTable>()
  let depth = 0
  return {
    table(name) {
      let table = tables.get(name)
      if (table === undefined) {
        table = tableOf(root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' }))
        tables.set(name, table)
      }
      return table
    },
    write<T>(action: () => T): T {
      if (depth > 0) return action()
      depth++
      let failure: unknown
      try {
        const result = root.transactionSync(() => {
          try {
            return action()
          } catch (error) {
            failure = error
            return ABORT
          }
        })
        if (failure !== undefined) throw failure
        return result as T
      } finally {
        depth--
      }
    },
    close: () => root.close(),
  }
}
