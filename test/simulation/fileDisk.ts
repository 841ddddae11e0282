/** A node's store on a real disk, under the real lock of its home: what a process that has ended still tries comes to nothing. */
import fs from 'node:fs'
import path from 'node:path'
import { takeLock, type HeldLock } from '../../src/base/lock.ts'
import { openKv, type Kv } from '../../src/store/kv.ts'
import { faultOfStoreFile } from '../../src/store/kvFile.ts'
import type { KvTable } from '../../src/store/kvTable.ts'
import { scanStore } from '../../src/store/pages/scanStore.ts'
import type { Random } from '../support/randomProgram.ts'
import { demand } from './invariants.ts'

export type FileDisk = {
  /** Takes the lock and opens the store. `isAlive` says whether the process still runs; `ended` is thrown when not. */
  open(isAlive: () => boolean, ended: () => Error): Kv
  /** The process ends: the kernel drops its lock, and its file is closed. */
  abandon(): void
  /** Resolves when the file of the process before is closed. */
  closed(): Promise<void>
  /** Removes the store. */
  wipe(): void
  /** Flips a bit of the store's file. What the scan of `assay node check` finds of it is wiped at once. */
  damage(random: Random): void
}

/** Lets no virtual time pass until something real is over. */
type RealTime = <T>(result: Promise<T>) => Promise<T>

/** A store that only a running process reaches. */
function guardedKv(kv: Kv, isAlive: () => boolean, ended: () => Error, real: RealTime): Kv {
  function check(): void {
    if (!isAlive()) throw ended()
  }
  function guardedTable(table: KvTable): KvTable {
    return {
      ...table,
      get: (key) => (check(), table.get(key)),
      put: (key, value) => (check(), table.put(key, value)),
      remove: (key) => (check(), table.remove(key)),
      *range(range) {
        check()
        for (const record of table.range(range)) {
          yield record
          check()
        }
      },
    }
  }
  return {
    ...kv,
    table: (name) => (check(), guardedTable(kv.table(name))),
    write: (action) => (check(), kv.write(action)),
    async commit(action, thenReplace) {
      check()
      await real(kv.commit(action, thenReplace))
      check()
    },
    refresh: () => (check(), kv.refresh()),
    release: () => (check(), kv.release()),
  }
}

function flipBit(file: string, random: Random): void {
  const handle = fs.openSync(file, 'r+')
  try {
    const at = random(fs.fstatSync(handle).size)
    const byte = Buffer.alloc(1)
    fs.readSync(handle, byte, 0, 1, at)
    fs.writeSync(handle, Buffer.of((byte[0] ?? 0) ^ (1 << random(8))), 0, 1, at)
  } finally {
    fs.closeSync(handle)
  }
}

/** Whether a page of a store is damaged, as far as pages tell. */
function isDamaged(store: string): boolean {
  return faultOfStoreFile(store) !== undefined || scanStore(store).faults.length > 0
}

/** A disk in a folder. */
export function createFileDisk(folder: string, name: string, real: RealTime): FileDisk {
  const store = path.join(folder, 'chain')
  const lockFile = path.join(folder, 'node.lock')
  let lock: HeldLock | undefined
  let kv: Kv | undefined
  let closing: Promise<void> = Promise.resolve()
  const file = path.join(store, 'data.mdb')
  const remove = (): void => fs.rmSync(store, { recursive: true, force: true })
  return {
    open(isAlive, ended) {
      fs.mkdirSync(folder, { recursive: true })
      lock = takeLock(lockFile, name)
      let isRefused = false
      try {
        takeLock(lockFile, name)
      } catch {
        isRefused = true
      }
      demand(isRefused, `${name}: two processes have its home`)
      kv = openKv(store, { isScratch: true, writerThread: true })
      return guardedKv(kv, isAlive, ended, real)
    },
    abandon() {
      const open = kv
      const held = lock
      kv = undefined
      lock = undefined
      // A commit that is under way may still land, as it may when a process is killed.
      closing = closing.then(async () => {
        await open?.close()
        held?.release()
      })
    },
    closed: () => real(closing),
    wipe() {
      closing = closing.then(remove)
    },
    damage(random) {
      closing = closing.then(() => {
        if (!fs.existsSync(file)) return
        flipBit(file, random)
        // LMDB itself would follow a damaged page anywhere, and take this process along.
        if (isDamaged(store)) remove()
      })
    },
  }
}
