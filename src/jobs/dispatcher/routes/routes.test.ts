import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type Reply,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import {
  connectOperator,
  type ScriptedOperator,
} from '../../../../test/support/scriptedOperator.ts'
import { createProject } from '../access/projects.ts'
import { DISPATCHER_METRICS } from '../metrics.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'routes')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

/** A job for its own model, so that only this test's operator gets it. */
const ownJob = () => ({
  tag: 'opml',
  prompt: 'p',
  model: `${randomBytes(6).toString('hex')}.gguf`,
})

const owned = (path: string, body: object): Promise<Reply> =>
  dispatcher.post(path, { verify: dispatcher.token, ...body })

async function withOperator(
  models: readonly string[],
  work: (operator: ScriptedOperator) => Promise<void>,
  slots = 4,
): Promise<void> {
  const operator = await connectOperator(dispatcher, { models, slots })
  try {
    await work(operator)
  } finally {
    operator.socket.close()
  }
}

async function fail(id: string, model: string): Promise<void> {
  await withOperator([model], async (operator) => {
    const { lease } = await operator.next('dispatch')
    operator.send({ type: 'refused', jobId: id, lease, reason: 'no memory', retry: false })
    await dispatcher.until(id, ({ state }) => state === 'failed')
  })
}

test('a batch stores what it can, and says of each job what became of it', async () => {
  const job = ownJob()
  const { status, body } = await owned('/api/job/batch', {
    from: dispatcher.project,
    jobs: [
      { job },
      { job, idempotency_key: 'b' },
      { job, idempotency_key: 'b' },
      { job: { ...job, prompt: 'other' }, idempotency_key: 'b' },
    ],
  })
  expect(status).toBe(200)
  expect(body.result.map(({ code }: { code: number }) => code)).toEqual([200, 200, 200, 422])
  const [first, second, third, fourth] = body.result
  expect(third.job_id).toBe(second.job_id)
  expect(first.job_id).not.toBe(second.job_id)
  expect(fourth).toMatchObject({ error: 'idempotency_key_reused' })
  expect(await dispatcher.detail(first.job_id)).toMatchObject({ job })
})

test('a batch with an ill-formed job, without a token or without jobs stores nothing', async () => {
  const from = dispatcher.project
  const job = ownJob()
  const wrong = await owned('/api/job/batch', { from, jobs: [{ job }, { job: {} }] })
  expect(wrong.status).toBe(400)
  expect(wrong.body.details[0].path).toBe('jobs.1.job.tag')
  expect((await owned('/api/job/batch', { from, jobs: [] })).status).toBe(400)
  expect((await dispatcher.post('/api/job/batch', { from, jobs: [{ job }] })).status).toBe(401)
  const { db } = dispatcher.sql
  const rows = await db.selectFrom('jobs').select('id').where('model', '=', job.model).execute()
  expect(rows).toEqual([])
})

test('jobs with a higher priority are handed out first', async () => {
  const job = ownJob()
  for (const [prompt, priority] of [
    ['low', -5],
    ['first', 0],
    ['second', 0],
    ['high', 7],
  ] as const)
    await dispatcher.submit({ ...job, prompt }, { priority })
  await withOperator(
    [job.model],
    async (operator) => {
      const prompts: string[] = []
      for (let i = 0; i < 4; i++) {
        const dispatch = await operator.next('dispatch')
        prompts.push(dispatch.job.prompt)
        operator.send(await operator.answer(dispatch))
      }
      expect(prompts).toEqual(['high', 'first', 'second', 'low'])
    },
    1,
  )
})

test('a job expires at the deadline of its own submission', async () => {
  const id = await dispatcher.submit(ownJob(), { deadline: 1 })
  expect(await dispatcher.until(id, ({ state }) => state === 'expired')).toMatchObject({
    reason: expect.stringMatching(/no connected opml operator/),
  })
})

test('a cancelled job is not handed out, and an answer that comes later is not recorded', async () => {
  const waiting = ownJob()
  const id = await dispatcher.submit(waiting)
  expect((await owned('/api/job/cancel', { job_id: id })).body).toEqual({
    code: 200,
    result: 'cancelled',
  })
  expect((await owned('/api/job/cancel', { job_id: id })).status).toBe(200)
  expect(await dispatcher.detail(id)).toMatchObject({ state: 'cancelled', status: 'created' })

  const job = ownJob()
  await withOperator([waiting.model, job.model], async (operator) => {
    const running = await dispatcher.submit(job)
    const dispatch = await operator.next('dispatch')
    expect(dispatch.jobId).toBe(running)
    await owned('/api/job/cancel', { job_id: running })
    operator.send(await operator.answer(dispatch))
    await operator.next('rejected')
    expect(await dispatcher.results(running)).toEqual([])
  })
})

test('only its own project may cancel a job, and only while it runs', async () => {
  const job = ownJob()
  const id = await dispatcher.submit(job)
  const { token } = await createProject(dispatcher.sql, { name: 'stranger' })
  const cancel = (verify?: string) => dispatcher.post('/api/job/cancel', { job_id: id, verify })
  expect((await cancel()).status).toBe(401)
  expect((await cancel(token)).status).toBe(404)
  await fail(id, job.model)
  expect((await cancel(dispatcher.token)).body).toMatchObject({ code: 409, error: 'conflict' })
})

test('jobs that came to nothing are listed page by page, and can be tried again', async () => {
  const jobs = [ownJob(), ownJob()]
  const ids: string[] = []
  for (const job of jobs) {
    const id = await dispatcher.submit(job)
    await fail(id, job.model)
    ids.unshift(id)
  }
  const page = async (more: object): Promise<string[]> => {
    const { body } = await owned('/api/job/dead-letters', { limit: 1, ...more })
    return body.result.map((letter: { job_id: string }) => letter.job_id)
  }
  const [newest = ''] = await page({})
  expect([newest, ...(await page({ after: newest }))]).toEqual(ids)
  const { body } = await owned('/api/job/dead-letters', { limit: 1 })
  expect(body.result[0]).toMatchObject({ state: 'failed', reason: 'no memory', job_type: 'opml' })

  expect((await owned('/api/job/retry', { job_id: newest })).status).toBe(200)
  expect((await owned('/api/job/retry', { job_id: newest })).status).toBe(409)
  await withOperator([jobs[1]?.model ?? ''], async (operator) => {
    operator.send(await operator.answer(await operator.next('dispatch')))
    await operator.next('recorded')
    expect(await dispatcher.detail(newest)).toMatchObject({ state: 'completed', reason: '' })
  })
})

/** Names and ids of all events until the stream ends. */
async function follow(id: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await fetch(`http://${dispatcher.httpAddress}/api/job/events/${id}`, { headers })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return [...(await response.text()).matchAll(/^event: (\S+)$/gm)].map(([, name = '']) => name)
}

test('a job is followed from its creation to its end, from anywhere in between, and afterwards', async () => {
  const job = ownJob()
  const id = await dispatcher.submit(job)
  const following = follow(id)
  await withOperator([job.model], async (operator) => {
    operator.send(await operator.answer(await operator.next('dispatch')))
    const all = ['created', 'dispatched', 'draw', 'completed']
    expect(await following).toEqual(all)
    expect(await follow(id)).toEqual(all)
    expect(await follow(id, { 'last-event-id': 'dispatched' })).toEqual(all.slice(2))
  })
  const unknown = await fetch(`http://${dispatcher.httpAddress}/api/job/events/${'0'.repeat(64)}`)
  expect(unknown.status).toBe(404)
})

test('operators and models show who is connected', async () => {
  const { model } = ownJob()
  const read = async (path: string) => {
    const response = await fetch(`http://${dispatcher.httpAddress}${path}`)
    return (await response.json()) as { result: Record<string, unknown>[] }
  }
  await withOperator([model], async ({ address }) => {
    const { result } = await read('/api/operators')
    expect(result.find(({ operator }) => operator === address)).toEqual({
      operator: address,
      workers: ['opml'],
      models: [model],
      refused: [],
      other_files: 0,
      slots: 4,
      busy: 0,
      range: { start: 0, end: 600_000, max: 600_000 },
    })
    const models = await read('/api/models')
    expect(models.result).toContainEqual({
      model,
      job_type: 'opml',
      operators: 1,
      slots: 4,
      pinned: false,
      identities: [],
    })
  })
})

test('every documented metric is served, and none names a project, token or job', async () => {
  const id = await dispatcher.submit(ownJob())
  const response = await fetch(`http://${dispatcher.httpAddress}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  const text = await response.text()
  for (const name of Object.keys(DISPATCHER_METRICS)) expect(text).toContain(`# TYPE ${name} `)
  expect(text).toMatch(/^assay_jobs_submitted_total [1-9]/m)
  expect(text).toMatch(/^assay_jobs_unfinished\{state="created"\} [1-9]/m)
  for (const secret of [dispatcher.token, id]) expect(text).not.toContain(secret)
})

test('the document describes every route', async () => {
  const response = await fetch(`http://${dispatcher.httpAddress}/openapi.json`)
  const { paths } = (await response.json()) as { paths: object }
  expect(Object.keys(paths).sort()).toEqual([
    '/api/job/batch',
    '/api/job/cancel',
    '/api/job/dead-letters',
    '/api/job/delete',
    '/api/job/detail',
    '/api/job/events/{job_id}',
    '/api/job/receipt/{job_id}',
    '/api/job/result',
    '/api/job/retry',
    '/api/job/submit',
    '/api/job/trace/{job_id}',
    '/api/jobs',
    '/api/models',
    '/api/operators',
    '/healthz',
    '/metrics',
    '/readyz',
    '/v1/chat/completions',
    '/v1/completions',
    '/v1/embeddings',
    '/v1/models',
    '/v1/models/{model}',
  ])
})

test('the document is shown as a page that runs no script', async () => {
  const response = await fetch(`http://${dispatcher.httpAddress}/docs`)
  const html = await response.text()
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).not.toMatch(/<script|https?:\/\/|style="/)
  for (const path of ['/api/job/submit', '/api/job/receipt/{job_id}', '/metrics'])
    expect(html).toContain(`<code>${path}</code>`)
  const style = await fetch(`http://${dispatcher.httpAddress}/docs/style.css`)
  expect(style.headers.get('content-type')).toContain('text/css')
})

test.each(['/api/job/cancel', '/api/job/retry', '/api/job/delete', '/api/job/detail'])(
  'a job id that no database could hold is an unknown job to %s',
  async (path) => {
    const { status } = await dispatcher.post(path, { job_id: '\0', verify: dispatcher.token })
    expect(status).toBe(404)
    const page = { verify: dispatcher.token, after: '\0' }
    expect((await dispatcher.post('/api/job/dead-letters', page)).status).toBe(400)
  },
)
