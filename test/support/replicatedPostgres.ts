/** Two real PostgreSQL servers: a primary, and a standby that has every commit before it is acknowledged. */
import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../src/base/freePorts.ts'
import { initializeCluster, ROLE } from '../../src/store/sql/cluster.ts'
import { confine, type Confinement } from '../../src/store/sql/confinement.ts'
import { withClient } from '../../src/store/sql/database.ts'
import { waitFor } from './waitFor.ts'

const PASSWORD = 'replicated'
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '16MB',
}

export type ReplicatedPostgres = {
  /** URL of a database that names both servers. */
  url(database: string): string
  /** URL of a database on the standby. */
  standbyUrl(database: string): string
  /** Kills the primary, and makes the standby the primary. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** Starts both in a temporary folder; resolves when the standby follows. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-replicated-'))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  await Promise.all([first, second].map((each) => mkdir(each)))
  const log = await open(join(folder, 'log'), 'a')
  const primary = await confine(first, log.fd)
  const standby = await confine(second, log.fd)
  const data = await initializeCluster(primary, PASSWORD)
  const copied = join(standby.folder, 'data')
  await promisify(execFile)('cp', ['-a', data, copied])
  await writeFile(join(copied, 'standby.signal'), '')
  const ports = [await freePort(), await freePort()] as const
  const url = (database: string, ...at: readonly number[]): string =>
    `postgres://${ROLE}:${PASSWORD}@${at.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`

  const run = (
    { start }: Confinement,
    where: string,
    port: number,
    more: Record<string, string>,
  ): ChildProcess => {
    const settings = Object.entries({ ...SETTINGS, port: String(port), ...more })
    const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return start('postgres', ['-D', where, ...flags], log.fd)
  }
  const ask = (port: number, statement: string) =>
    withClient(url('postgres', port), async (client) => (await client.query(statement)).rows)
  const servers = [run(primary, data, ports[0], { synchronous_standby_names: '*' })]
  // Nothing is written before there is a standby to wait for.
  await waitFor(() => ask(ports[0], 'select 1'))
  servers.push(
    run(standby, copied, ports[1], {
      primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=${ROLE} password=${PASSWORD}`,
    }),
  )
  await waitFor(async () => {
    const followers = await ask(ports[0], 'select from pg_stat_replication')
    if (followers.length === 0) throw new Error('the standby does not follow')
  })
  const end = async (server: ChildProcess | undefined): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  return {
    url: (database) => url(database, ...ports),
    standbyUrl: (database) => url(database, ports[1]),
    async failOver() {
      await end(servers[0])
      await ask(ports[1], 'select pg_promote()')
    },
    async stop() {
      await Promise.all(servers.map(end))
      await log.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
