/**
 * A real PostgreSQL under Assay's home (D30): created at first use, supervised while we run, and stopped with us, even
 * when our process is killed.
 */
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import type { HeldLock } from '../../base/lock.ts'
import type { Log } from '../../base/log.ts'
import { clusterPassword, initializeCluster, ROLE } from './cluster.ts'
import { confine, type RootMode } from './confinement.ts'
import { ensureDatabase, withClient } from './database.ts'
import { lockDatabase } from './databaseLock.ts'
import { guardServers } from './guardian.ts'
import { findPostmaster, isPostmaster, stopPostmaster } from './postmaster.ts'
import { runServer } from './server.ts'

const WATCH_MS = 1000
/** A foreign process on the port may accept connections and never answer. */
const PROBE_MS = 1000

export type EmbeddedPostgres = {
  /** URL of a database of the server, with the password in it: a secret. */
  url(database: string): string
  /** Creates a database unless it exists. */
  createDatabase(name: string): Promise<void>
  /** Ends the server. Open transactions are rolled back. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** Created when it is missing. */
  readonly folder: string
  /** Port on 127.0.0.1; 0 or absent takes a free one and keeps it for the next starts as long as it is free. */
  readonly port?: number
  readonly log: Log
  /** Stops the server when aborted. */
  readonly signal?: AbortSignal
  /** Forces how root runs the server. */
  readonly rootMode?: RootMode
}

/**
 * Starts the server of `folder`; one whose process was killed, and which still runs there, is stopped first. A server
 * that ends unexpectedly is restarted. Throws UserError where no PostgreSQL can run, another process serves the folder,
 * the port is taken or the password is not the server's.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  options.signal?.throwIfAborted()
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const folder = await realpath(options.folder)
  const lock = await lockDatabase(folder)
  return startLocked({ ...options, folder }, lock).catch((error: unknown) => {
    lock.release()
    throw error
  })
}

async function startLocked(
  { folder, log, signal, rootMode, ...options }: EmbeddedPostgresOptions,
  lock: HeldLock,
): Promise<EmbeddedPostgres> {
  const password = await clusterPassword(folder)
  const confinement = await confine(folder, lock.descriptor, rootMode)
  const data = await initializeCluster(confinement, password)

  const urlAt = (port: number, database: string): string =>
    `postgres://${ROLE}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  const probe = (port: number): Promise<void> =>
    withClient(
      urlAt(port, 'postgres'),
      async (client) => void (await client.query('select 1')),
      PROBE_MS,
    )

  const fixed = (options.port ?? 0) > 0
  const portFile = join(folder, 'port')
  const remembered = portOf(await readFile(portFile, 'utf8').catch(() => ''))
  const { guarded, endGuard } = guardServers(confinement, data, log)
  let server = await runServer(
    guarded,
    data,
    { port: fixed ? (options.port ?? 0) : remembered, fixed },
    probe,
  ).catch(async (error: unknown) => {
    const silent = await findPostmaster(data)
    if (silent !== undefined) await stopPostmaster(silent, data)
    endGuard()
    throw error
  })
  if (server.port !== remembered) writeFileAtomic(portFile, String(server.port))
  log.info({ pid: server.pid, port: server.port }, 'PostgreSQL is ready')

  const stopping = new AbortController()
  const watching = watch()
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= end())

  async function end(): Promise<void> {
    stopping.abort()
    await watching
    await stopPostmaster(server, data)
    endGuard()
    lock.release()
  }

  /** Restarts the server whenever it ends unexpectedly, on the same port, since our clients already know it. */
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await delay(WATCH_MS, undefined, { signal: stopping.signal, ref: false }).catch(
        () => undefined,
      )
      if (stopping.signal.aborted || (await isPostmaster(server.pid, data))) continue
      log.error({ pid: server.pid }, 'PostgreSQL exited; restarting it')
      try {
        server = await runServer(guarded, data, { port: server.port, fixed: true }, probe)
      } catch (error) {
        log.error({ err: messageOf(error) }, 'PostgreSQL failed to start')
      }
    }
  }

  signal?.addEventListener(
    'abort',
    () => {
      stop().catch((error: unknown) =>
        log.error({ err: messageOf(error) }, 'PostgreSQL failed to stop'),
      )
    },
    { once: true },
  )
  return {
    url: (database) => urlAt(server.port, database),
    createDatabase: (name) => ensureDatabase(urlAt(server.port, name)),
    stop,
  }
}

/** The port in a text; 0 (any free one) when the text is not a port. */
function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port < 65_536 ? port : 0
}
