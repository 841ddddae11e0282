/** The PostgreSQL server of a data directory, found by its `postmaster.pid`, whoever started it. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { commandOf, isAlive, sendSignal } from '../../base/processes.ts'

/** A live server. */
export type Postmaster = { readonly pid: number; readonly port: number }

const FAST_STOP_MS = 15_000
const IMMEDIATE_STOP_MS = 5_000

const pidFile = (data: string): string => join(data, 'postmaster.pid')

/** What the pid file says, if that process id is in use, by whatever process. */
async function readPidFile(data: string): Promise<Postmaster | undefined> {
  const lines = await readFile(pidFile(data), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  )
  // Line 1 is the process, line 4 the port.
  const pid = Number(lines[0])
  const port = Number(lines[3])
  return Number.isSafeInteger(pid) && pid > 1 && isAlive(pid) ? { pid, port } : undefined
}

/** The server that runs on a data directory, or undefined. Servers in other PID namespaces are not found. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const named = await readPidFile(data)
  return named !== undefined && (await isPostmaster(named.pid, data)) ? named : undefined
}

/**
 * Removes a pid file whose process id has been reused, since PostgreSQL would refuse to start because of it; all other
 * leftovers are left to PostgreSQL, which also checks that no backend of the dead server lives on. Only for the holder
 * of the database's lock: to anybody else, a live server of another container looks the same.
 */
export async function removeReusedPid(data: string): Promise<void> {
  const named = await readPidFile(data)
  if (named !== undefined && !(await isPostmaster(named.pid, data)))
    await rm(pidFile(data), { force: true })
}

/** Whether a process is the PostgreSQL server of a data directory. */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return (await commandOf(pid)).includes(`/bin/postgres -D ${data} `)
}

/** Ends a server: a fast shutdown first, an immediate one when that takes too long. */
export async function stopPostmaster({ pid }: Postmaster, data: string): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
  ] as const) {
    if (!(await isPostmaster(pid, data))) return
    if (!sendSignal(pid, signal)) return
    const deadline = Date.now() + patience
    while (Date.now() < deadline) {
      if (!(await isPostmaster(pid, data))) return
      await delay(20)
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) did not stop`)
}
