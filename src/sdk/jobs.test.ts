import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../test/support/dispatcher.ts'
import { dispatcherDocument } from '../../test/support/dispatcherRoutes.ts'
import { dereferenced, operationsOf } from '../../test/support/openApi.ts'
import { connectOperator } from '../../test/support/scriptedOperator.ts'
import { createJobs, JobApiError, JobFailedError, type JobResult } from './jobs.ts'
import { ROUTES } from './jobRoutes.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'sdk', { openReads: false })
})
afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const clientOf = () =>
  createJobs({
    url: `http://${dispatcher.httpAddress}/`,
    token: dispatcher.token,
    project: dispatcher.project,
  })

const ownJob = () => ({
  tag: 'opml' as const,
  prompt: 'p',
  model: `${randomBytes(6).toString('hex')}.gguf`,
})

/** A server that does as told, one request after the other; the last answer is for all that follow. */
async function scripted(
  answers: readonly ((request: IncomingMessage, response: ServerResponse) => void)[],
) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen.push(request), answers.length) - 1]
    request.resume()
    answer?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, seen, close: () => server.close() }
}

// Holds D150.
test('there is a function for every route of jobs whose answers are JSON', () => {
  const expected = operationsOf(dereferenced(dispatcherDocument()))
    .filter(({ path }) => path.startsWith('/api/') && !path.includes('/events/'))
    .map(({ operation }) => operation.operationId)
  expect(Object.keys(ROUTES)).toEqual(expected)
  expect(Object.keys(clientOf().routes)).toEqual(expected)
})

test('inputs and answers have the types of the routes', () => {
  const { routes } = clientOf()
  expectTypeOf(routes.jobResults).parameter(0).toExtend<{ readonly job_id: string }>()
  type Results = Awaited<ReturnType<typeof routes.jobResults>>['result']
  expectTypeOf<Results>().toEqualTypeOf<readonly JobResult[]>()
  expectTypeOf(routes.listOperators).toBeCallableWith()
})

test('a job is submitted, followed to its end, and its bundle is there', async () => {
  const jobs = clientOf()
  const job = ownJob()
  const id = await jobs.submit(job, { user: 'u' })
  const events: string[] = []
  const following = (async () => {
    for await (const { event } of jobs.stream(id)) events.push(event)
  })()
  const waiting = jobs.wait(id)
  const operator = await connectOperator(dispatcher, { models: [job.model] })
  try {
    operator.send(await operator.answer(await operator.next('dispatch')))
    const [result] = await waiting
    expect(result).toMatchObject({ job_id: id, operator: operator.address, job_type: 'opml' })
    await following
    expect(events).toEqual(['created', 'dispatched', 'draw', 'completed'])
    expect(await jobs.detail(id)).toMatchObject({ state: 'completed', user: 'u', job })
    expect(await jobs.bundle(id)).toMatchObject({
      jobId: id,
      answers: [{ output: result?.result }],
    })
    const { result: operators } = await jobs.routes.listOperators()
    expect(operators.map((each) => each.operator)).toContain(operator.address)
  } finally {
    operator.socket.close()
  }
})

test('a job that is cancelled ends the wait with its state', async () => {
  const jobs = clientOf()
  const id = await jobs.submit(ownJob())
  const waiting = jobs.wait(id)
  await jobs.cancel(id)
  await expect(waiting).rejects.toBeInstanceOf(JobFailedError)
  await expect(waiting).rejects.toMatchObject({ jobId: id, state: 'cancelled' })
})

test('jobs are listed over pages', async () => {
  const jobs = clientOf()
  const job = ownJob()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift(await jobs.submit(job))
  const listed: string[] = []
  for await (const { job_id: id } of jobs.list({ model: job.model, limit: 2 })) listed.push(id)
  expect(listed).toEqual(ids)
  for await (const each of jobs.list({ model: 'nobody.gguf' })) expect.fail(each.job_id)
})

test('errors of the API come as such', async () => {
  const unknown = clientOf().detail('0'.repeat(64))
  await expect(unknown).rejects.toBeInstanceOf(JobApiError)
  await expect(unknown).rejects.toMatchObject({ code: 404, error: 'not_found' })
  const stranger = createJobs({ url: `http://${dispatcher.httpAddress}` })
  await expect(stranger.bundle('0'.repeat(64))).rejects.toMatchObject({ code: 401 })
  await expect(stranger.submit(ownJob())).rejects.toThrow('needs its project')
  const wrong = clientOf().routes.submitJob({ from: '', job: { ...ownJob(), tag: 'x' as 'tee' } })
  await expect(wrong).rejects.toMatchObject({
    code: 400,
    details: [expect.objectContaining({ path: 'job.tag' })],
  })
  await expect(clientOf().bundle('')).rejects.toThrow('jobReceipt needs job_id')
})

test('a request that the server cannot serve now is repeated after the time that it names', async () => {
  const busy = await scripted([
    (_, response) => void response.writeHead(503, { 'retry-after': '0' }).end('{}'),
    (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end('{}'),
    (_, response) => void response.end(JSON.stringify({ code: 200, result: 'id' })),
  ])
  try {
    expect(await createJobs({ url: busy.url, project: 'p' }).submit(ownJob())).toBe('id')
    const keys = busy.seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
  } finally {
    busy.close()
  }
})

test('a request is given up after its repetitions', async () => {
  const away = await scripted([
    (_, response) =>
      void response
        .writeHead(503, { 'retry-after': '0' })
        .end(JSON.stringify({ error: 'unavailable', message: 'the database is unavailable' })),
  ])
  try {
    const jobs = createJobs({ url: away.url, retries: 2 })
    await expect(jobs.detail('a')).rejects.toMatchObject({ code: 503, error: 'unavailable' })
    expect(away.seen).toHaveLength(3)
  } finally {
    away.close()
  }
})

test('a stream that breaks resumes after its last event', async () => {
  const event = (name: string) => `id: ${name}\nevent: ${name}\ndata: {"at":"now"}\n\n`
  const broken = await scripted([
    (_, response) => void response.write(event('created'), () => response.destroy()),
    (_, response) => void response.end(event('completed')),
  ])
  try {
    const events: unknown[] = []
    for await (const each of createJobs({ url: broken.url }).stream('a')) events.push(each)
    expect(events).toEqual([
      { id: 'created', event: 'created', data: { at: 'now' } },
      { id: 'completed', event: 'completed', data: { at: 'now' } },
    ])
    expect(broken.seen.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      'created',
    ])
  } finally {
    broken.close()
  }
})

test('a signal ends a wait', async () => {
  const jobs = clientOf()
  const id = await jobs.submit(ownJob())
  const controller = new AbortController()
  const waiting = jobs.wait(id, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})
