import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { openVault } from '../vault/vault.ts'
import { setWebhook } from './deliver.ts'
import { waitFor } from '../../../../test/support/waitFor.ts'

const JOB = { tag: 'opml', prompt: 'a secret prompt', model: 'nobody.gguf' }

let postgres: TestPostgres
let dispatcher: TestDispatcher
let server: Server
let url = ''
const received: { headers: IncomingHttpHeaders; body: string }[] = []
let status = 200

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  url = `http://${host}/hook`
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'webhooks', { webhookHosts: [host] })
})

afterEach(() => {
  received.length = 0
  status = 200
})

afterAll(async () => {
  server.close()
  await dispatcher.close()
  await postgres.stop()
})

async function register(target: string | undefined): Promise<string> {
  const vault = await openVault(dispatcher.sql, dispatcher.options.promptKeyFile)
  const trusted = dispatcher.options.webhookHosts
  return setWebhook(dispatcher.sql, vault, dispatcher.project, target, { trusted })
}

const cancel = (id: string) =>
  dispatcher.post('/api/job/cancel', { job_id: id, verify: dispatcher.token })

const deliveriesOf = async (id: string) =>
  dispatcher.sql.db
    .selectFrom('webhook_deliveries')
    .select(['outcome', 'attempts', 'error'])
    .where('job_id', '=', id)
    .execute()

test('a project is told once how each of its jobs ended, with a signature and without the prompt', async () => {
  const secret = await register(url)
  const cancelled = await dispatcher.submit(JOB)
  await cancel(cancelled)
  const expired = await dispatcher.submit(JOB, { deadline: 1 })
  await waitFor(() => expect(received).toHaveLength(2))
  const told = received.map(({ body }) => JSON.parse(body) as Record<string, string>)
  expect(told).toMatchObject([
    { job_id: cancelled, state: 'cancelled' },
    { job_id: expired, state: 'expired', reason: expect.stringMatching(/no connected/) },
  ])
  for (const { headers, body } of received) {
    expect(body).not.toContain(JOB.prompt)
    const [, time = '', mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
      String(headers['assay-signature']),
    ) ?? ['']
    expect(mac).toBe(createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60)
  }
  await waitFor(async () =>
    expect(await deliveriesOf(expired)).toEqual([{ outcome: 'delivered', attempts: 1, error: '' }]),
  )
})

test('what is not taken is told again later, and says why', async () => {
  await register(url)
  status = 500
  const id = await dispatcher.submit(JOB)
  await cancel(id)
  await waitFor(async () =>
    expect(await deliveriesOf(id)).toEqual([
      { outcome: 'waiting', attempts: 1, error: 'answered 500' },
    ]),
  )
  status = 204
  await sql`update webhook_deliveries set run_at = now() where job_id = ${id}`.execute(
    dispatcher.sql.db,
  )
  await waitFor(async () =>
    expect(await deliveriesOf(id)).toEqual([{ outcome: 'delivered', attempts: 2, error: '' }]),
  )
  const ids = received.map(({ headers }) => headers['assay-delivery'])
  expect(new Set(ids).size).toBe(1)
})

test('after enough attempts, or without a webhook, nothing more is sent', async () => {
  await register(url)
  status = 500
  const id = await dispatcher.submit(JOB)
  await cancel(id)
  await waitFor(async () => expect((await deliveriesOf(id))[0]?.attempts).toBe(1))
  await waitFor(async () => expect((await deliveriesOf(id))[0]?.error).not.toBe(''))
  await sql`update webhook_deliveries set run_at = now(), attempts = 13
    where job_id = ${id}`.execute(dispatcher.sql.db)
  await waitFor(async () =>
    expect(await deliveriesOf(id)).toMatchObject([{ outcome: 'given up', attempts: 14 }]),
  )
  await register(undefined)
  const untold = await dispatcher.submit(JOB)
  await cancel(untold)
  expect(await deliveriesOf(untold)).toEqual([])
})

test('a private address that is not trusted is not told, and the secret is not in the database', async () => {
  const secret = await register('https://127.0.0.1:1/hook')
  const id = await dispatcher.submit(JOB)
  await cancel(id)
  await waitFor(async () => expect((await deliveriesOf(id))[0]?.error).toMatch(/public internet/))
  await expect(register('http://hooks.example/')).rejects.toThrow(/https/)
  const rows = await dispatcher.sql.db.selectFrom('projects').selectAll().execute()
  for (const row of rows) expect(row.webhook_secret?.toString('latin1') ?? '').not.toContain(secret)
})
