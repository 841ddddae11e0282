/** What strangers can make the dispatcher read and parse: next to nothing, on every route. */
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher
let paths: readonly string[]

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'bodies', { openReads: false })
  const response = await fetch(`http://${dispatcher.httpAddress}/openapi.json`)
  const document = (await response.json()) as { paths: Record<string, object> }
  paths = Object.keys(document.paths).filter((path) => 'post' in (document.paths[path] ?? {}))
  expect(paths.length).toBeGreaterThan(6)
})
afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const JOB = { tag: 'opml', prompt: 'p', model: 'nobody.gguf' }
/** The beginning of a request whose body has not been sent yet. */
function begin(path: string, headers: Record<string, string | number>): ClientRequest {
  const [host, port] = dispatcher.httpAddress.split(':')
  const begun = request({
    host,
    port,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  })
  begun.on('error', () => undefined)
  begun.flushHeaders()
  return begun
}
async function answerOf(
  begun: ClientRequest,
): Promise<{ status: number | undefined; message: string }> {
  const [response] = (await once(begun, 'response')) as [IncomingMessage]
  const { message } = (await json(response)) as { message: string }
  begun.destroy()
  return { status: response.statusCode, message }
}

// Holds D74.
test('a wrong token in the header is refused on every route before any of the body has come', async () => {
  for (const path of paths) {
    const begun = begin(path, { 'content-length': 1000, authorization: 'Bearer wrong' })
    expect(await answerOf(begun), path).toMatchObject({ status: 401 })
  }
})

test('a larger body without a valid token is not parsed on any route', async () => {
  const unparsable = `{"verify":"wrong","x":[${'['.repeat(100_000)}`
  for (const path of paths) {
    const { status } = await dispatcher.post(path, unparsable)
    expect([401, 413], path).toContain(status)
  }
})

test('more than 1 MiB needs the token in the header, and its announcement is enough', async () => {
  const begun = begin('/api/job/batch', { 'content-length': 16_000_000 })
  const { status, message } = await answerOf(begun)
  expect(status).toBe(401)
  expect(message).toMatch(/more than 1048576 bytes needs the token as a bearer token/)
  const tooLarge = begin('/api/job/batch', { 'content-length': 17_000_000 })
  expect(await answerOf(tooLarge)).toMatchObject({ status: 413 })
})

test('with a valid token large bodies are served, wherever it is', async () => {
  const { project: from, token: verify } = dispatcher
  const jobs = (count: number) =>
    Array.from({ length: count }, () => ({ job: { ...JOB, prompt: 'x'.repeat(9000) } }))
  expect((await dispatcher.post('/api/job/batch', { from, jobs: jobs(100), verify })).status).toBe(
    200,
  )
  const bearer = { authorization: `Bearer ${verify}` }
  expect((await dispatcher.post('/api/job/batch', { from, jobs: jobs(200) }, bearer)).status).toBe(
    200,
  )
  const large = { job: { ...JOB, prompt: 'x'.repeat(1024 * 1024) } }
  const { status, body } = await dispatcher.post('/api/job/batch', { from, jobs: [large] }, bearer)
  // One job is no larger in a batch than alone.
  expect(status === 200 ? body.result[0].code : status).toBeOneOf([400, 413])
})

test('unfinished bodies of strangers take a bounded part of the memory, and it comes back', async () => {
  const begun = Array.from({ length: 40 }, () =>
    begin('/api/job/submit', { 'content-length': 1024 * 1024 }),
  )
  const statuses: (number | undefined)[] = []
  for (const each of begun) {
    each.once('response', (response: IncomingMessage) => statuses.push(response.statusCode))
    each.write(Buffer.alloc(1024 * 1024 - 1, 0x20))
  }
  await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(8)
  expect(statuses.length).toBeLessThan(12)
  expect(new Set(statuses)).toEqual(new Set([503]))
  // Others are served meanwhile, once there is room for them.
  for (const each of begun) each.destroy()
  await expect
    .poll(() => dispatcher.submit({ ...JOB, prompt: 'x'.repeat(500_000) }).catch(() => ''))
    .toMatch(/^[0-9a-f]{64}$/)
})
