/** Starting one PostgreSQL server process and waiting until it answers. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { UserError } from '../../base/errors.ts'
import { freePort } from '../../base/freePorts.ts'
import { openLog } from './cluster.ts'
import { codeOfSql, INVALID_PASSWORD } from './database.ts'
import type { Confinement } from './confinement.ts'
import { findPostmaster, isPostmaster, removeReusedPid, type Postmaster } from './postmaster.ts'

/** Crash recovery of a large write-ahead log takes its time. */
const READY_MS = 120_000
/**
 * A password refused for this long is refused by our own server: on a port that another server holds, ours would have
 * ended.
 */
const REFUSED_MS = 3_000
const RETRIES = 20

/**
 * Settings for a small server that never loses an acknowledged commit. No statement, parameter or key value reaches its
 * log: prompts and token hashes would be among them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '16MB',
  max_connections: '64',
  work_mem: '2MB',
  maintenance_work_mem: '16MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
}

/**
 * The server of the data directory: the live one, or a new one on `port` (`fixed`: on no other).
 * Throws UserError when a fixed port is taken, and the end of the server's log when it does not start.
 */
export async function runServer(
  confinement: Confinement,
  data: string,
  wanted: { readonly port: number; readonly fixed: boolean },
  probe: (port: number) => Promise<void>,
): Promise<Postmaster> {
  let port = wanted.port === 0 ? await freePort() : wanted.port
  for (let attempt = 0; ; attempt++) {
    await removeReusedPid(data)
    const alive = await findPostmaster(data)
    if (alive !== undefined) {
      const ended = async (): Promise<boolean> => !(await isPostmaster(alive.pid, data))
      if (await answering(alive.port, probe, ended)) return alive
    }
    const failure = await launch(confinement, data, port, probe)
    if (typeof failure !== 'string') return failure
    if (attempt === RETRIES) throw new Error(`PostgreSQL failed to start: ${failure}`)
    if (/Address already in use|could not bind/.test(failure)) {
      if (wanted.fixed)
        throw new UserError(
          `port ${port} is in use: the embedded PostgreSQL cannot listen on it`,
          'Stop the other program, or choose another port.',
        )
      port = await freePort()
    } else if (/lock file|still in use|is another postmaster/.test(failure)) {
      // Another start of ours was faster, or the last backend of a killed server is still exiting.
      await delay(250)
    } else {
      throw new Error(`PostgreSQL failed to start: ${failure}`)
    }
  }
}

/** A new, responding server, or the log of one that ended. */
async function launch(
  confinement: Confinement,
  data: string,
  port: number,
  probe: (port: number) => Promise<void>,
): Promise<Postmaster | string> {
  const log = await openLog(confinement.folder)
  try {
    const settings = Object.entries({ ...SETTINGS, port: String(port) })
    const child = confinement.start(
      'postgres',
      ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      log.fd,
    )
    const pid = await spawned(child)
    if (await answering(port, probe, () => child.exitCode !== null || child.signalCode !== null))
      return { pid, port }
    return await log.tail()
  } finally {
    await log.close()
  }
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      // It may outlive us (the next start attaches to it), so it must not keep us alive.
      child.unref()
      if (child.pid !== undefined) resolve(child.pid)
    })
  })
}

/** Waits until the server answers; false when it has ended before. Throws when it takes too long or refuses the password. */
async function answering(
  port: number,
  probe: (port: number) => Promise<void>,
  ended: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const since = performance.now()
  while (!(await ended())) {
    try {
      await probe(port)
      // Another server on the port would have refused our password, so it was ours that answered.
      return true
    } catch (error) {
      const waited = performance.now() - since
      if (waited > READY_MS) throw error
      if (waited > REFUSED_MS && codeOfSql(error) === INVALID_PASSWORD)
        throw new UserError(
          'the embedded PostgreSQL rejected the password of this home folder',
          'Restore the file "password" that belongs to its data folder.',
        )
      await delay(15)
    }
  }
  return false
}
