/**
 * One process serves the folder of an embedded database. PostgreSQL itself judges by process ids and shared memory,
 * which another container does not see (D67).
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ownerOf, takeLock, type HeldLock } from '../../base/lock.ts'
import { shelterOf } from './confinement.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'

/** The last backends of a server that was told to stop exit within this time. */
const LEFTOVER_MS = 20_000

/** Stops the server that a killed process of ours left behind. */
async function stopLeftover(folder: string): Promise<void> {
  for (const place of [folder, shelterOf(folder)]) {
    const data = join(place, 'data')
    const postmaster = await findPostmaster(data)
    if (postmaster !== undefined) await stopPostmaster(postmaster, data)
  }
}

/**
 * Takes the lock of a database folder (an existing, absolute path without links). Its servers hold the lock, too, so one
 * that outlived its process is stopped first. Throws UserError while another process serves the folder.
 */
export async function lockDatabase(folder: string): Promise<HeldLock> {
  const file = join(folder, 'server.lock')
  const deadline = performance.now() + LEFTOVER_MS
  for (;;) {
    const isServed = ownerOf(file) !== undefined
    if (!isServed) await stopLeftover(folder)
    try {
      return takeLock(file, `the database in ${folder}`)
    } catch (error) {
      if (isServed || performance.now() > deadline) throw error
    }
    await delay(100)
  }
}
