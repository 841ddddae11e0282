import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type Reply,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../../test/support/scriptedOperator.ts'
import { waitFor } from '../../../../test/support/waitFor.ts'
import { createProject, setLimits, type Limits } from '../access/projects.ts'
import { forgetKeys } from './idempotency.ts'
import { takeFromBuckets } from './rate.ts'

const JOB = { tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf' }

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'submit')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

type Project = { readonly project: string; readonly token: string }

const submit = (
  { project, token }: Project,
  job: object = JOB,
  key?: string,
  to = dispatcher,
): Promise<Reply> =>
  to.post(
    '/api/job/submit',
    { from: project, verify: token, job },
    key === undefined ? {} : { 'idempotency-key': key },
  )

async function projectWith(limits: Partial<Limits>): Promise<Project> {
  const created = await createProject(dispatcher.sql, { name: 'limited' })
  await setLimits(dispatcher.sql, created.project, limits)
  return created
}

const countOf = async ({ project }: Project): Promise<number> => {
  const { db } = dispatcher.sql
  const rows = await db.selectFrom('jobs').select('id').where('project', '=', project).execute()
  return rows.length
}

const tally = (replies: readonly Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('a request that is repeated with its key is one job, also at once and at another replica', async () => {
  const caller = await projectWith({})
  const other = await startTestDispatcher(postgres, 'submit')
  try {
    const key = randomUUID()
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        submit(caller, JOB, key, at % 2 === 0 ? dispatcher : other),
      ),
    )
    expect(tally(replies)).toEqual({ 200: 40 })
    expect(new Set(replies.map(({ body }) => body.result)).size).toBe(1)
    expect(await countOf(caller)).toBe(1)
    expect((await submit(caller, JOB, randomUUID())).body.result).not.toBe(replies[0]?.body.result)
  } finally {
    await other.close()
  }
})

test('a key that comes with another request is 422; the same key of another project is another', async () => {
  const [a, b] = [await projectWith({}), await projectWith({})]
  const first = await submit(a, JOB, 'k')
  const wrong = await submit(a, { ...JOB, prompt: 'another' }, 'k')
  expect(wrong).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } })
  expect(wrong.body).not.toHaveProperty('result')
  const second = await submit(b, JOB, 'k')
  expect(second.status).toBe(200)
  expect(second.body.result).not.toBe(first.body.result)
  expect((await submit(a, JOB, 'x'.repeat(256))).status).toBe(400)
})

test('keys are forgotten after a day', async () => {
  const caller = await projectWith({})
  await submit(caller, JOB, 'young')
  await submit(caller, JOB, 'old')
  const { db } = dispatcher.sql
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`.execute(
    db,
  )
  await forgetKeys(dispatcher.sql)
  const left = await db
    .selectFrom('idempotency_keys')
    .select('key')
    .where('project', '=', caller.project)
    .execute()
  expect(left).toEqual([{ key: 'young' }])
  expect(await countOf(caller)).toBe(2)
})

test('jobs beyond the rate of a project are 429 with a time to wait, and are not stored', async () => {
  const caller = await projectWith({ jobsPerMinute: 5 })
  const replies = await Promise.all(Array.from({ length: 8 }, () => submit(caller)))
  expect(tally(replies)).toEqual({ 200: 5, 429: 3 })
  const refused = replies.find(({ status }) => status === 429)
  expect(refused?.body).toMatchObject({ error: 'rate_limited', code: 429 })
  expect(Number(refused?.headers.get('retry-after'))).toBe(12)
  expect(await countOf(caller)).toBe(5)
})

test('each token has a rate of its own', async () => {
  const caller = await projectWith({ tokenJobsPerMinute: 2 })
  const { token } = await createProject(dispatcher.sql, { name: '', id: caller.project })
  const statuses: number[] = []
  for (const from of [caller, caller, caller, { ...caller, token }])
    statuses.push((await submit(from)).status)
  expect(statuses).toEqual([200, 200, 429, 200])
})

test('a bucket fills again with time, up to a minute of jobs, and all replicas take from it', async () => {
  const demand = { scope: 'test:bucket', perMinute: 60, jobs: 60 }
  const other = await startTestDispatcher(postgres, 'submit')
  try {
    expect((await takeFromBuckets(dispatcher.sql, [demand])).get(demand.scope)).toBe(60)
    expect((await takeFromBuckets(other.sql, [demand])).get(demand.scope)).toBe(0)
    const rewind = (interval: string) =>
      sql`update rate_buckets set filled_at = filled_at - ${interval}::interval
        where scope = ${demand.scope}`.execute(dispatcher.sql.db)
    await rewind('10 seconds')
    expect((await takeFromBuckets(dispatcher.sql, [demand])).get(demand.scope)).toBe(10)
    await rewind('1 hour')
    expect((await takeFromBuckets(other.sql, [{ ...demand, jobs: 100 }])).get(demand.scope)).toBe(
      60,
    )
  } finally {
    await other.close()
  }
})

test('a daily quota holds exactly, counts no repeated request, and frees the keys of refused ones', async () => {
  const caller = await projectWith({ jobsPerDay: 3 })
  await submit(caller, JOB, 'first')
  await submit(caller, JOB, 'first')
  const replies = await Promise.all(
    Array.from({ length: 5 }, (_, at) => submit(caller, JOB, `next-${at}`)),
  )
  expect(tally(replies)).toEqual({ 200: 2, 429: 3 })
  expect(await countOf(caller)).toBe(3)
  const at = replies.findIndex(({ status }) => status === 429)
  const wait = Number(replies[at]?.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(86_400)
  await setLimits(dispatcher.sql, caller.project, { jobsPerDay: 4 })
  await expect.poll(async () => (await submit(caller, JOB, `next-${at}`)).status).toBe(200)
  expect(await countOf(caller)).toBe(4)
})

// Holds D141.
test('a project that has used up its tokens is 429 with a time to wait, and others are not', async () => {
  const model = `${randomUUID()}.gguf`
  const [caller, other] = [
    await projectWith({ tokensPerMinute: 6 }),
    await projectWith({ tokensPerMinute: 6 }),
  ]
  const operators = [
    await connectOperator(dispatcher, { models: [model] }),
    await connectOperator(dispatcher, { models: [model] }),
  ]
  const { body } = await submit(caller, { ...JOB, model })
  // A job that two operators answer counts once; these say that they read four tokens and wrote three.
  for (const operator of operators)
    operator.send(await operator.answer(await operator.next('dispatch')))
  await dispatcher.until(body.result, ({ state }) => state === 'completed')
  const refused = await waitFor(async () => {
    const reply = await submit(caller, { ...JOB, model: 'nobody.gguf' })
    expect(reply.status).toBe(429)
    return reply
  })
  expect(refused.body.message).toBe('the project may use 6 tokens per minute')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThan(25)
  expect((await submit(other, { ...JOB, model: 'nobody.gguf' })).status).toBe(200)
  for (const { socket } of operators) socket.close()
})
