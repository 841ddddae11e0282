/** The files of an embedded PostgreSQL: its password and its data directory. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import type { Confinement } from './confinement.ts'
import { exists } from './installation.ts'

/** The server's only role; it owns everything. */
export const ROLE = 'assay'

/** The role's password, generated at first use and kept in a 0600 file of the folder. */
export async function clusterPassword(folder: string): Promise<string> {
  const file = join(folder, 'password')
  if (!(await exists(file))) writeFileAtomic(file, randomBytes(24).toString('hex'))
  return readFile(file, 'utf8')
}

/**
 * Creates the data directory unless it exists; returns its path. A half-initialized one is recreated. Throws UserError
 * for a damaged one, and with the end of the log when initdb fails.
 */
export async function initializeCluster(
  confinement: Confinement,
  password: string,
): Promise<string> {
  const data = join(confinement.folder, 'data')
  if (await exists(join(data, 'PG_VERSION'))) return data
  if (await exists(data))
    throw new UserError(
      `${data} is incomplete: it has no PG_VERSION`,
      'Restore it from a backup, or move it away to start without any jobs.',
    )
  const partial = `${data}.partial`
  const passwordFile = join(confinement.folder, 'password.initdb')
  await rm(partial, { recursive: true, force: true })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (confinement.owner !== undefined)
    await chown(passwordFile, confinement.owner, confinement.owner)
  const log = await openLog(confinement.folder)
  try {
    const initdb = confinement.start(
      'initdb',
      [
        '-D',
        partial,
        `--username=${ROLE}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        '--wal-segsize=4',
        '--no-instructions',
      ],
      log.fd,
    )
    const [code] = (await once(initdb, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`initdb failed: ${await log.tail()}`)
  } finally {
    await log.close()
    await rm(passwordFile, { force: true })
  }
  await rename(partial, data)
  return data
}

/** The log file that PostgreSQL's programs write into: descriptor, and what was written since it was opened. */
export type ServerLog = {
  readonly fd: number
  tail(): Promise<string>
  close(): Promise<void>
}

const LOG_LIMIT = 8 * 1024 * 1024
const TAIL_LENGTH = 2000

/** Opens the folder's log for appending; an overlong one is restarted. */
export async function openLog(folder: string): Promise<ServerLog> {
  const handle = await open(join(folder, 'postgres.log'), 'a+', 0o600)
  const { size } = await handle.stat()
  const start = size > LOG_LIMIT ? 0 : size
  if (size > LOG_LIMIT) await handle.truncate(0)
  return {
    fd: handle.fd,
    async tail() {
      const end = (await handle.stat()).size
      const from = Math.max(start, end - TAIL_LENGTH)
      const buffer = Buffer.alloc(Math.max(0, end - from))
      await handle.read(buffer, 0, buffer.length, from)
      return buffer.toString('utf8').trim()
    },
    close: () => handle.close(),
  }
}
