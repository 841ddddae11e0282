/** Long, because it starts several PostgreSQL servers: one that takes no writes, stands still, or is replaced by its standby. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type Reply,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { startFrozenProxy } from '../../../test/support/frozenProxy.ts'
import { startReplicatedPostgres } from '../../../test/support/replicatedPostgres.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { UserError } from '../../base/errors.ts'
import { refusalOf, withClient } from '../../store/sql/database.ts'
import { createProject } from './access/projects.ts'
import { openDispatcherSql } from './dispatcher.ts'

const PARAMS = { temperature: 0, top_p: 1, max_tokens: 16 }
const JOB = { tag: 'opml', prompt: 'What is AI?', model: 'nobody.gguf', params: PARAMS }
/** What a client waits for an answer; a server that stood still used to hold it for longer. */
const PATIENCE_MS = 15_000
const log = pino({ level: 'silent' })

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

const submitTo = (dispatcher: TestDispatcher): Promise<Reply> =>
  dispatcher.post('/api/job/submit', { from: 'test', verify: dispatcher.token, job: JOB })

const readiness = async ({ httpAddress }: TestDispatcher): Promise<number> =>
  (await fetch(`http://${httpAddress}/readyz`)).status

const configure = (statement: string): Promise<void> =>
  withClient(postgres.url('postgres'), async (client) => {
    await client.query(statement)
    await client.query('select pg_reload_conf()')
  })

// Holds D103.
test('while its server takes no writes a dispatcher is not ready, and asks to be tried later', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'read_only')
  try {
    expect((await submitTo(dispatcher)).status).toBe(200)
    await configure('alter system set default_transaction_read_only = on')
    await waitFor(async () => expect(await readiness(dispatcher)).toBe(503))
    const refused = await submitTo(dispatcher)
    expect(refused).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    await withClient(postgres.url('postgres'), async (client) => {
      await client.query('set default_transaction_read_only = off')
      await client.query('alter system reset default_transaction_read_only')
      await client.query('select pg_reload_conf()')
    })
  }
  await waitFor(async () => expect(await readiness(dispatcher)).toBe(200))
  expect((await submitTo(dispatcher)).status).toBe(200)
  await dispatcher.close()
}, 60_000)

test('a server that stands still holds no request for long, and is used again when it goes on', async () => {
  const proxy = await startFrozenProxy(Number(new URL(postgres.url('x')).port))
  const through: TestPostgres = {
    ...postgres,
    url: (database) => {
      const url = new URL(postgres.url(database))
      url.port = String(proxy.port)
      return url.href
    },
  }
  const dispatcher = await startTestDispatcher(through, 'frozen')
  try {
    expect((await submitTo(dispatcher)).status).toBe(200)
    proxy.freeze()
    const answered = Promise.all([submitTo(dispatcher), readiness(dispatcher)])
    const late = sleep(PATIENCE_MS, 'no answer in time', { ref: false })
    expect(await Promise.race([answered, late])).toMatchObject([{ status: 503 }, 503])
    proxy.thaw()
    await waitFor(async () => expect((await submitTo(dispatcher)).status).toBe(200))
  } finally {
    proxy.thaw()
    await dispatcher.close()
    await proxy.close()
  }
}, 60_000)

test('after a fail-over the dispatcher goes on with the new primary, and no job is lost', async () => {
  const servers = await startReplicatedPostgres()
  const dispatcher = await startTestDispatcher(
    { ...postgres, url: servers.url, stop: servers.stop },
    'failed_over',
  )
  try {
    const acknowledged: string[] = []
    for (let at = 0; at < 20; at++) acknowledged.push(await dispatcher.submit(JOB))
    const standby = await openDispatcherSql(servers.standbyUrl('failed_over'), log)
    const refused: unknown = await createProject(standby, { name: 'x' }).catch(
      (error: unknown) => error,
    )
    await standby.close()
    expect(refusalOf(servers.standbyUrl('x'), refused)?.message).toMatch(/takes no writes/)
    await servers.failOver()
    await waitFor(async () => expect(await readiness(dispatcher)).toBe(200))
    await waitFor(async () => expect((await submitTo(dispatcher)).status).toBe(200))
    for (const id of acknowledged)
      expect(await dispatcher.detail(id)).toMatchObject({ id, state: 'created' })
  } finally {
    await dispatcher.close()
    await servers.stop()
  }
}, 120_000)

test('whoever opens a database that cannot be reached gets a sentence with advice', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  for (const [url, reason] of [
    ['postgres://u:secret@127.0.0.1:1/jobs', /127\.0\.0\.1:1 does not respond: .*ECONNREFUSED/],
    ['postgres://u:secret@localhost:1/jobs', /localhost:1 does not respond/],
    ['postgres://u:secret@127.0.0.1:1,localhost:1/jobs', /127\.0\.0\.1:1,localhost:1 does not/],
    [`postgres://u:secret@127.0.0.1:${port}/jobs`, /does not respond/],
    ['postgres://u:secret@no.invalid/jobs', /no\.invalid does not respond/],
    [`${postgres.url('jobs')}?sslmode=require`, /is not secure|SSL/],
  ] as const) {
    const error: unknown = await openDispatcherSql(url, log).catch((thrown: unknown) => thrown)
    expect(error, url).toBeInstanceOf(UserError)
    expect(String(error), url).toMatch(reason)
    expect(String(error)).not.toContain('secret')
  }
  silent.close()
}, 60_000)
