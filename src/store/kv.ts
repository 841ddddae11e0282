/** The ordered key-value store under the chain: LMDB (D38). Keys and values are bytes; each table is a database of its own. */
import fs from 'node:fs'
import path from 'node:path'
import { ABORT, open, type Database, type RootDatabase } from 'lmdb'
import { messageOf, UserError } from '../base/errors.ts'

/** A half-open range of keys. With `reverse` it runs downwards, and `start` is its upper end. */
export type KeyRange = {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/**
 * One table. Reads outside of `write` see the last committed state, all from one snapshot until the event loop turns;
 * inside, they see their own writes too. Bytes that come back belong to the caller.
 */
export type KvTable = {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): void
  remove(key: Uint8Array): void
  range(range: KeyRange): Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>
}

/** What was written since the store was opened. */
export type KvStatistics = {
  readonly commits: number
  readonly puts: number
  readonly removes: number
  /** Bytes of keys and values put. */
  readonly bytesPut: number
}

export type Kv = {
  /** The table with this name, which is made when it does not exist. Not inside `write`, unless it was opened before. */
  table(name: string): KvTable
  /**
   * Runs `action` in one write transaction and returns when it is synced to disk. Nested calls join the outermost one.
   * When `action` throws, nothing is written. A failed sync ends the process (D54).
   */
  write<T>(action: () => T): T
  /** Inside `write`: runs `action` last in the outermost transaction. What it throws undoes all of it. */
  beforeCommit(action: () => void): void
  /** Inside `write`: runs `action` once the outermost transaction is on disk; never when that was undone. */
  afterCommit(action: () => void): void
  /**
   * Lets the reads that follow see the last commit of any thread or process. Without it that happens when the event loop
   * turns, which a message from the writing thread can overtake.
   */
  refresh(): void
  statistics(): KvStatistics
  close(): Promise<void>
}

/** The store can't be used. The message says why and what to do. */
export class KvError extends UserError {
  override readonly name = 'KvError'
}

export type KvOptions = {
  /** For a second thread or process: reads alone, of a store that exists already. */
  readonly readOnly?: boolean
  /** Called when a commit fails, and must not return. The default reports the error and ends the process (D54). */
  readonly onCommitFailure?: (error: unknown) => never
}

type Bytes = Uint8Array
type Counters = { -readonly [key in keyof KvStatistics]: KvStatistics[key] }

const MAX_TABLES = 32

/** A plain array over bytes that lmdb has made for us alone. Its Buffers would share memory on `slice`. */
function plain(buffer: Bytes): Bytes {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

// lmdb asks for the address of every buffer that it writes from, and remembers it: small values share one.
const STAGING = Buffer.alloc(4096)

function stagedValue(value: Bytes): Bytes {
  if (value.length > STAGING.length) return value
  STAGING.set(value)
  return STAGING.subarray(0, value.length)
}

function tableOf(database: Database<Bytes, Bytes>, counters: Counters): KvTable {
  return {
    get(key) {
      // The fast read hands out lmdb's own buffer, whose contents change with the next read.
      const shared = database.getBinaryFast(key)
      return shared && plain(shared).slice()
    },
    put(key, value) {
      counters.puts++
      counters.bytesPut += key.length + value.length
      database.putSync(key, stagedValue(value))
    },
    remove(key) {
      counters.removes++
      database.removeSync(key)
    },
    *range({ start, end, reverse = false, limit }) {
      const options = {
        reverse,
        ...(start && { start }),
        ...(end && { end }),
        ...(limit !== undefined && { limit }),
      }
      for (const { key, value } of database.getRange(options))
        yield { key: plain(key), value: plain(value) }
    },
  }
}

function endProcess(error: unknown): never {
  // After a failed sync the kernel may have dropped the pages: what memory believes is on disk is not known any more.
  process.stderr.write(`the store could not be written and the process ends: ${String(error)}\n`)
  process.exit(1)
}

function openRoot(folder: string, readOnly: boolean): RootDatabase<Bytes, Bytes> {
  if (readOnly && !fs.existsSync(path.join(folder, 'data.mdb')))
    throw new KvError(`there is no store in ${folder}`, 'Start the node once; it makes one.')
  try {
    return open({
      path: folder,
      // Without this a folder with a dot in its name would be taken for a file.
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      compression: false,
      maxDbs: MAX_TABLES,
      // A commit returns when it is on disk, in LMDB's plain way: pages, sync, then the meta page.
      overlappingSync: false,
      readOnly,
    })
  } catch (error) {
    throw new KvError(
      `the store in ${folder} can't be opened: ${messageOf(error)}`,
      'Check that the folder is yours and that its disk has space.',
    )
  }
}

/** Opens the store in a folder, which is made when it does not exist. Throws KvError. */
export function openKv(folder: string, options: KvOptions = {}): Kv {
  const readOnly = options.readOnly ?? false
  const onCommitFailure = options.onCommitFailure ?? endProcess
  const root = openRoot(folder, readOnly)
  const tables = new Map<string, KvTable>()
  const counters: Counters = { commits: 0, puts: 0, removes: 0, bytesPut: 0 }
  let isWriting = false
  let beforeCommit: (() => void)[] = []
  let afterCommit: (() => void)[] = []

  function openTable(name: string): KvTable {
    // A table that is made inside a transaction would vanish with it, and its handle stay.
    if (isWriting) throw new KvError(`table ${name} must be opened before the write transaction`)
    const database = root.openDB<Bytes, Bytes>({
      name,
      encoding: 'binary',
      keyEncoding: 'binary',
    }) as Database<Bytes, Bytes> | undefined
    if (database === undefined)
      throw new KvError(`the store has no table ${name} yet: open it for writing first`)
    return tableOf(database, counters)
  }

  function runOutermost<T>(action: () => T): T {
    let outcome: { readonly result: T } | { readonly error: unknown } | undefined
    try {
      root.transactionSync(() => {
        try {
          const result = action()
          if (result instanceof Promise)
            throw new KvError('a write transaction must end synchronously')
          // A hook may add hooks, so this is not a for…of over a copy.
          for (let i = 0; i < beforeCommit.length; i++) beforeCommit[i]?.()
          outcome = { result }
          return undefined
        } catch (error) {
          outcome = { error }
          return ABORT
        }
      })
    } catch (error) {
      if (outcome === undefined) throw error
      onCommitFailure(error)
    }
    if (outcome === undefined) throw new KvError('the write transaction did not run')
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  return {
    table(name) {
      let table = tables.get(name)
      if (table === undefined) {
        table = openTable(name)
        tables.set(name, table)
      }
      return table
    },
    write<T>(action: () => T): T {
      if (isWriting) return action()
      if (readOnly) throw new KvError('the store was opened for reading alone')
      isWriting = true
      let committed: (() => void)[] = []
      let result: T
      try {
        result = runOutermost(action)
        committed = afterCommit
      } finally {
        isWriting = false
        beforeCommit = []
        afterCommit = []
      }
      counters.commits++
      for (const hook of committed) hook()
      return result
    },
    beforeCommit(action) {
      if (!isWriting) throw new KvError('there is no write transaction to end')
      beforeCommit.push(action)
    },
    afterCommit(action) {
      if (!isWriting) throw new KvError('there is no write transaction to wait for')
      afterCommit.push(action)
    },
    refresh: () => root.resetReadTxn(),
    statistics: () => ({ ...counters }),
    close: () => root.close(),
  }
}

/** The end of the range of all keys that start with a prefix; undefined when there is no greater key. */
export function endOfPrefix(prefix: Uint8Array): Uint8Array | undefined {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const byte = prefix[i] as number
    if (byte === 255) continue
    // A copy in any case: `slice` of a Buffer would share the caller's memory.
    const end = Uint8Array.from(prefix.subarray(0, i + 1))
    end[i] = byte + 1
    return end
  }
  return undefined
}
