import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TYPESCRIPT_FLAGS } from '../../../test/support/typescript/flags.ts'
import { confine, shelterOf } from './confinement.ts'
import { UserError } from '../../base/errors.ts'
import { ensureDatabase, isUnavailable, withClient } from './database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts'
import { findInstallation } from './installation.ts'
import { findPostmaster, isPostmaster } from './postmaster.ts'
import { ownerOf, takeLock } from '../../base/lock.ts'
import { freePort } from '../../base/freePorts.ts'
import { waitFor } from '../../../test/support/waitFor.ts'

const log = pino({ level: 'silent' })
const isRoot = process.geteuid?.() === 0
let parent: string
let folder: string
let postgres: EmbeddedPostgres

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'assay-postgres-'))
  await chmod(parent, 0o700)
  folder = join(parent, 'postgres')
  postgres = await startEmbeddedPostgres({ folder, log })
})

afterAll(async () => {
  await postgres.stop()
  await rm(parent, { recursive: true, force: true })
})

/** Process number of the server of a data directory; fails the test when there is none. */
async function pidOf(data: string): Promise<number> {
  const server = await findPostmaster(data)
  if (server === undefined) throw new Error(`no server runs on ${data}`)
  return server.pid
}

const ask = (server: EmbeddedPostgres, sql: string): Promise<unknown> =>
  withClient(server.url('postgres'), async (client) => {
    const { rows } = await client.query<{ value: unknown }>(`select ${sql} as value`)
    return rows[0]?.value
  })

test('a server below a folder that only its owner may enter answers, syncs to disk and speaks UTF-8', async () => {
  expect(await ask(postgres, "current_setting('fsync')")).toBe('on')
  expect(await ask(postgres, "current_setting('server_encoding')")).toBe('UTF8')
  expect(await ask(postgres, "current_setting('server_version_num')::int / 10000")).toBe(18)
})

test('the password is in a file that only its owner can read, and no one gets in without it', async () => {
  expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600)
  const url = new URL(postgres.url('postgres'))
  expect(url.password).toBe(await readFile(join(folder, 'password'), 'utf8'))
  url.password = 'wrong'
  await expect(withClient(url.href, async () => undefined)).rejects.toThrow(/password/)
})

test('a wrong password and a server that is away are told to whoever wrote the URL, without the password', async () => {
  const url = new URL(postgres.url('postgres'))
  url.password = 'wrong-password'
  const refused = await ensureDatabase(url.href).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(UserError)
  expect(String(refused)).toMatch(`the database at ${url.host} refused`)
  expect(String(refused)).not.toContain('wrong-password')
  expect(isUnavailable(refused)).toBe(false)

  const away = await ensureDatabase('postgres://a:b@127.0.0.1:1/x').catch((error: unknown) => error)
  expect(away).toBeInstanceOf(UserError)
  expect(String(away)).toMatch('the database at 127.0.0.1:1 does not respond')
  expect(isUnavailable(away)).toBe(true)
})

test('databases are created once, also by several callers at the same time', async () => {
  await Promise.all([1, 2, 3].map(() => postgres.createDatabase('Jobs "x"')))
  await ensureDatabase(postgres.url('Jobs "x"'))
  expect(
    await ask(postgres, '(select count(*)::int from pg_database where datname = \'Jobs "x"\')'),
  ).toBe(1)
})

// Holds D67.
test('a folder that is served is refused, and its server serves on', async () => {
  const pid = await pidOf(join(folder, 'data'))
  await expect(startEmbeddedPostgres({ folder, log })).rejects.toThrow(
    `the database in ${await realpath(folder)} is in use by process ${process.pid}`,
  )
  expect(await ask(postgres, '1')).toBe(1)
  expect(await pidOf(join(folder, 'data'))).toBe(pid)
})

// Holds D67.
test('a server whose process was killed together with its guardian is stopped by the next start', async () => {
  const home = join(parent, 'abandoned')
  const before = await startEmbeddedPostgres({ folder: home, log })
  await before.stop()
  const held = takeLock(join(await realpath(home), 'server.lock'), 'it')
  const engine = (await confine(await realpath(home), held.descriptor)).start(
    'postgres',
    ['-D', join(await realpath(home), 'data'), '-c', 'listen_addresses='],
    2,
  )
  await waitFor(async () => expect(await findPostmaster(join(home, 'data'))).toBeDefined())
  // The lock is the server's alone now, as after a kill of its process.
  held.release()
  const after = await startEmbeddedPostgres({ folder: home, log })
  expect(engine.exitCode).toBe(0)
  expect(await ask(after, '1')).toBe(1)
  await after.stop()
})

// Holds D30.
test('a server that is killed comes back at its address', async () => {
  const data = join(folder, 'data')
  const pid = await pidOf(data)
  process.kill(pid, 'SIGKILL')
  await waitFor(async () => expect(await ask(postgres, '1')).toBe(1))
  expect(await pidOf(data)).not.toBe(pid)
})

test('a server ends with its killed parent, and comes back with its data', async () => {
  const home = join(parent, 'orphan')
  const module = new URL('./embedded.ts', import.meta.url)
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module.href)})
    const server = await startEmbeddedPostgres({ folder: ${JSON.stringify(home)}, log: { info() {}, warn() {} } })
    await server.createDatabase('kept')
    console.log(server.url('kept'))
    setInterval(() => {}, 1000)`
  const child = spawn(
    process.execPath,
    [...TYPESCRIPT_FLAGS, '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGKILL')
  await once(child, 'exit')
  await waitFor(async () => expect(await findPostmaster(join(home, 'data'))).toBeUndefined())

  const server = await startEmbeddedPostgres({ folder: home, log })
  expect(server.url('kept')).toBe(line.toString().trim())
  await withClient(server.url('kept'), async () => undefined)

  const pid = await pidOf(join(home, 'data'))
  await server.stop()
  expect(await isPostmaster(pid, join(home, 'data'))).toBe(false)
  const error = await withClient(server.url('kept'), async () => undefined).catch((e: unknown) => e)
  expect(isUnavailable(error)).toBe(true)

  // A pid file of a dead server whose process id has been reused.
  await writeFile(join(home, 'data', 'postmaster.pid'), `${process.pid}\n${home}/data\n0\n1\n\n\n`)
  const restarted = await startEmbeddedPostgres({ folder: home, log, port: await freePort() })
  await withClient(restarted.url('kept'), async () => undefined)
  await restarted.stop()
})

test('an aborted signal stops the server; a taken port and damaged files are errors that name them', async () => {
  const home = join(parent, 'port')
  const stranger = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port } = stranger.address() as { port: number }
  await expect(startEmbeddedPostgres({ folder: home, log, port })).rejects.toThrow(`port ${port}`)
  stranger.close()
  await once(stranger, 'close')

  const stopping = new AbortController()
  await startEmbeddedPostgres({ folder: home, log, port, signal: stopping.signal })
  expect((await findPostmaster(join(home, 'data')))?.port).toBe(port)
  stopping.abort()
  await waitFor(async () => expect(await findPostmaster(join(home, 'data'))).toBeUndefined())
  await waitFor(() => expect(ownerOf(join(home, 'server.lock'))).toBeUndefined())

  // Files of another home, or malformed ones.
  await writeFile(join(home, 'port'), 'what?')
  await writeFile(join(home, 'password'), 'another')
  await expect(startEmbeddedPostgres({ folder: home, log })).rejects.toThrow(
    'rejected the password',
  )
  expect(await findPostmaster(join(home, 'data'))).toBeUndefined()
  await rm(join(home, 'data', 'PG_VERSION'))
  await expect(startEmbeddedPostgres({ folder: home, log })).rejects.toThrow('is incomplete')
})

// Holds D30.
test.runIf(isRoot)(
  'where root may not make namespaces, data and binaries live in a shelter',
  async () => {
    const home = join(parent, 'sheltered')
    await mkdir(home)
    // A cluster that was created in a namespace is taken over.
    const before = await startEmbeddedPostgres({ folder: home, log, rootMode: 'namespace' })
    await before.createDatabase('kept')
    await before.stop()
    const shelter = shelterOf(home)
    try {
      const server = await startEmbeddedPostgres({ folder: home, log, rootMode: 'copy' })
      await withClient(server.url('kept'), async () => undefined)
      await server.stop()
      const { uid, mode } = await stat(shelter)
      expect([uid, mode & 0o777]).toEqual([65534, 0o700])

      const again = await startEmbeddedPostgres({ folder: home, log })
      expect(await findPostmaster(join(shelter, 'data'))).toBeDefined()
      await again.stop()
    } finally {
      await rm(shelter, { recursive: true, force: true })
    }
  },
)

test('a platform without binaries is an error that says what to do', () => {
  expect(() => findInstallation('sunos-x64')).toThrow(/no embedded PostgreSQL for sunos-x64/)
})

test('no half-made data directory is left behind', async () => {
  expect(await readdir(folder)).not.toContain('data.partial')
})
