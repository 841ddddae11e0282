/** The ordered key-value store under the chain: LMDB (D38). Keys and values are bytes; each table is a database of its own. */
import fs from 'node:fs'
import { ABORT, type Database, type Transaction } from 'lmdb'
import { messageOf } from '../base/errors.ts'
import { writeFileAtomic } from '../base/files.ts'
import { createSlices } from '../base/slices.ts'
import { runInSlices, runSteps, type Steps } from '../base/steps.ts'
import { createKvBatch, type KvBatch } from './kvBatch.ts'
import { openDamageChannel } from './damageChannel.ts'
import { KvError, type KvCorruptionError } from './kvError.ts'
import {
  tableOver,
  type Access,
  type Counters,
  type KvStatistics,
  type KvTable,
} from './kvTable.ts'
import { openRoot } from './lmdbRoot.ts'
import { isUnsealedStore } from './recordFormat.ts'
import { sealOf } from './seal.ts'
import { startWriter, type Writer } from './writer.ts'
import type { Replacement } from './writerProtocol.ts'

export type Kv = {
  /** The table with this name, created if it does not exist. Not inside `write`, unless it was opened before. */
  table(name: string): KvTable
  /**
   * Runs `action` in one write transaction and returns when it is synced to disk. Nested calls join the outermost one.
   * When `action` throws, nothing is written. A failed sync ends the process (D54).
   */
  write<T>(action: () => T): T
  /**
   * Like `write`, on the writer thread where the store has one: `action` only collects the writes, and does not read
   * them back. Resolves when all of it is synced to disk, followed by `thenReplace`, a file that is replaced
   * atomically; until then reads see the previous state. The caller waits before it commits or writes again.
   */
  commit(action: () => void, thenReplace?: Replacement): Promise<void>
  /**
   * Inside `write` or `commit`: runs `action` last in the outermost transaction. If it throws, all of it is rolled
   * back. On the writer thread other work is served between its steps, and reads the previous state.
   */
  beforeCommit(action: () => Steps<void>): void
  /** Inside `write` or `commit`: runs `action` once the outermost transaction is on disk; never if that was rolled back. */
  afterCommit(action: () => void): void
  /**
   * Lets the following reads see the last commit of any thread or process. In a read-only store that happens by itself
   * at the next turn of the event loop, which a message from the writing thread can overtake.
   */
  refresh(): void
  /** Releases the snapshot that reads see: a long-held one keeps the store's pages from being reused. */
  release(): void
  /**
   * The number of the snapshot that reads see, which changes with every commit, refresh and release; undefined in a
   * read-only store that does not hold its snapshots.
   */
  snapshot(): number | undefined
  statistics(): KvStatistics
  close(): Promise<void>
}

export type KvOptions = {
  /** For a second thread or process: read-only, of a store that already exists. */
  readonly readOnly?: boolean
  /** With `readOnly`: all reads see one snapshot until `release` or `refresh`, which must come soon. */
  readonly holdsSnapshots?: boolean
  /** For a store that is discarded after a crash: commits do not wait for the disk. Closing syncs nothing. */
  readonly isScratch?: boolean
  /** Whether `commit` has a thread of its own; without one it works like `write`. */
  readonly writerThread?: boolean
  /** Called after each `commit` on the writer thread, with the seconds of all of it and of its synced transaction. */
  readonly onCommit?: (seconds: number, syncSeconds: number) => void
  /** Called when a commit fails, and must not return. The default reports the error and ends the process (D54). */
  readonly onCommitFailure?: (error: unknown) => never
  /**
   * Called with each damaged record that a read of this store meets, on any thread of this process; the read throws the
   * same (D85).
   */
  readonly onCorruption?: (error: KvCorruptionError) => void
  /** For a store of an older program, whose records have no checksums (upgrade.ts). */
  readonly isUnsealed?: boolean
}

type Bytes = Uint8Array

function endProcess(error: unknown): never {
  // After a failed sync the kernel may have dropped the pages: it is no longer known what is on disk.
  process.stderr.write(`the store could not be written and the process ends: ${String(error)}\n`)
  process.exit(1)
}

/** LMDB reports a full disk as an input/output error: the free space tells them apart. */
function describeFailure(folder: string, error: unknown): KvError {
  const { bavail, bsize } = fs.statfsSync(folder)
  return new KvError(
    `the store in ${folder} could not be written: ${messageOf(error)}; its disk has ${bavail * bsize} bytes free`,
    'Free up space or check the disk, then start again. Nothing that clients have seen is lost.',
  )
}

/** Opens the store in a folder, which is created if it does not exist. Throws KvError. */
export function openKv(folder: string, options: KvOptions = {}): Kv {
  const readOnly = options.readOnly ?? false
  const onCommitFailure = options.onCommitFailure ?? endProcess
  const isUnsealed = options.isUnsealed ?? false
  const root = openRoot(folder, readOnly, options.isScratch ?? false)
  if (!isUnsealed && isUnsealedStore(root)) {
    void root.close()
    throw new KvError(
      `the store in ${folder} has the format of an older version of this program`,
      'Start the node once: it upgrades the store.',
    )
  }
  const damage = openDamageChannel(folder, options.onCorruption)
  const tables = new Map<string, KvTable>()
  const tableNames: string[] = []
  const counters: Counters = { commits: 0, puts: 0, removes: 0, bytesPut: 0 }
  const writer = options.writerThread === true ? startWriter(folder) : undefined
  let isWriting = false
  let isCommitting = false
  const holdsSnapshots = !readOnly || options.holdsSnapshots === true
  let snapshot: { readonly transaction: Transaction } | undefined
  let snapshots = 0
  let beforeCommit: (() => Steps<void>)[] = []
  let afterCommit: (() => void)[] = []

  const access: Access = {
    batch: undefined,
    snapshot() {
      // A second reader releases its snapshot at the next turn of the event loop: an old one would keep pages from
      // being reused.
      if (!holdsSnapshots || (isWriting && access.batch === undefined)) return undefined
      return (snapshot ??= { transaction: root.useReadTransaction() })
    },
    onCorruption: damage.report,
  }

  /** The next read takes a new snapshot. */
  function dropSnapshot(): void {
    snapshot?.transaction.done()
    snapshot = undefined
    snapshots++
    // The root keeps a snapshot of its own, which misses what another thread has committed since.
    if (!isWriting) root.resetReadTxn()
  }

  function openTable(name: string): KvTable {
    // A table that is created inside a transaction would vanish with it, and its handle would stay.
    if (isWriting) throw new KvError(`table ${name} must be opened before the write transaction`)
    const database = root.openDB<Bytes, Bytes>({
      name,
      encoding: 'binary',
      keyEncoding: 'binary',
    }) as Database<Bytes, Bytes> | undefined
    if (database === undefined)
      throw new KvError(`the store has no table ${name} yet: open it for writing first`)
    // An earlier snapshot does not contain the table.
    dropSnapshot()
    const number = tableNames.push(name) - 1
    const seal = isUnsealed ? undefined : sealOf(name)
    return tableOver({ database, name, number, seal }, access, counters)
  }

  /** Runs a stretch of work with writes allowed; they go into the batch if there is one. */
  function withDoorOpen<T>(batch: KvBatch | undefined, stretch: () => T): T {
    isWriting = true
    access.batch = batch
    try {
      return stretch()
    } finally {
      isWriting = false
      access.batch = undefined
    }
  }

  function forgetHooks(): void {
    beforeCommit = []
    afterCommit = []
  }

  function* runHooks(): Steps<void> {
    // A hook may add hooks, so this is not a for…of over a copy.
    for (let i = 0; i < beforeCommit.length; i++) yield* (beforeCommit[i] as () => Steps<void>)()
  }

  function onDisk(hooks: readonly (() => void)[]): void {
    counters.commits++
    dropSnapshot()
    for (const hook of hooks) hook()
  }

  async function commitThere(
    { write }: Writer,
    action: () => void,
    thenReplace: Replacement | undefined,
  ): Promise<void> {
    const since = performance.now()
    const batch = createKvBatch()
    function* collect(): Steps<(() => void)[]> {
      action()
      yield* runHooks()
      return afterCommit
    }
    const committed = await runInSlices(collect(), createSlices(), (step) =>
      withDoorOpen(batch, step),
    ).finally(forgetHooks)
    let syncSeconds = 0
    try {
      syncSeconds = await write({ tables: tableNames, batch: batch.bytes(), thenReplace })
    } catch (error) {
      onCommitFailure(describeFailure(folder, error))
    }
    options.onCommit?.((performance.now() - since) / 1000, syncSeconds)
    onDisk(committed)
  }

  function runOutermost<T>(action: () => T): T {
    let outcome: { readonly result: T } | { readonly error: unknown } | undefined
    try {
      root.transactionSync(() => {
        try {
          const result = action()
          if (result instanceof Promise)
            throw new KvError('a write transaction must end synchronously')
          runSteps(runHooks())
          outcome = { result }
          return undefined
        } catch (error) {
          outcome = { error }
          return ABORT
        }
      })
    } catch (error) {
      if (outcome === undefined) throw error
      onCommitFailure(describeFailure(folder, error))
    }
    if (outcome === undefined) throw new KvError('the write transaction did not run')
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  function write<T>(action: () => T): T {
    if (isWriting) return action()
    if (readOnly) throw new KvError('the store was opened for reading alone')
    if (isCommitting) throw new KvError('a commit is under way: wait for it')
    let result: T
    let committed: readonly (() => void)[]
    try {
      result = withDoorOpen(undefined, () => runOutermost(action))
      committed = afterCommit
    } finally {
      forgetHooks()
    }
    onDisk(committed)
    return result
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
    write,
    async commit(action, thenReplace) {
      if (writer === undefined) {
        write(action)
        if (thenReplace !== undefined) writeFileAtomic(thenReplace.file, thenReplace.content)
        return
      }
      if (isWriting || isCommitting) throw new KvError('a commit is under way: wait for it')
      isCommitting = true
      try {
        await commitThere(writer, action, thenReplace)
      } finally {
        isCommitting = false
      }
    },
    beforeCommit(action) {
      if (!isWriting) throw new KvError('there is no write transaction to end')
      beforeCommit.push(action)
    },
    afterCommit(action) {
      if (!isWriting) throw new KvError('there is no write transaction to wait for')
      afterCommit.push(action)
    },
    refresh() {
      dropSnapshot()
      root.resetReadTxn()
    },
    release: dropSnapshot,
    snapshot: () => (holdsSnapshots ? snapshots : undefined),
    statistics: () => ({ ...counters }),
    async close() {
      damage.close()
      await writer?.close()
      dropSnapshot()
      await root.close()
    },
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
