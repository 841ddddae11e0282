/** The PostgreSQL server of a data directory, found by its `postmaster.pid`, whoever started it. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { commandOf, isAlive, sendSignal } from '../../base/processes.ts'

/** A live server. */
export type Postmaster = { readonly pid: number; readonly port: number }

const FAST_STOP_MS = 15_000
const IMMEDIATE_STOP_MS = 5_000

/**
 * The server that runs on a data directory, or undefined. A pid file whose process id has been reused is removed, since
 * PostgreSQL would refuse to start because of it; all other leftovers are left to PostgreSQL, which also checks that no
 * backend of the dead server lives on.
 */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const file = join(data, 'postmaster.pid')
  const lines = await readFile(file, 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  )
  // Line 1 is the process, line 4 the port.
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!Number.isSafeInteger(pid) || pid <= 1 || !isAlive(pid)) return undefined
  if (await isPostmaster(pid, data)) return { pid, port }
  await rm(file, { force: true })
  return undefined
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
