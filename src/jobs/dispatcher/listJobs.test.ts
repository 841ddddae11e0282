/** Long, because it starts a PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { createProject } from './access/projects.ts'

const PIN = `@sha256:${'ab'.repeat(32)}`
const JOB = { tag: 'opml', prompt: 'secret', model: 'absent model' }

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'list')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

/** What a list answers, and what it is refused with. */
type Body = {
  readonly result: readonly { readonly job_id: string }[]
  readonly next?: string
  readonly details: readonly { readonly path: string }[]
}

async function list(query: Record<string, string> = {}, token = dispatcher.token) {
  const url = `http://${dispatcher.httpAddress}/api/jobs?${String(new URLSearchParams(query))}`
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url, { headers })
  return { status: response.status, body: (await response.json()) as Body }
}

const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] =>
  body.result.map(({ job_id }) => job_id)

// Holds D146.
test('pages of a project list every job once, newest first, though jobs come meanwhile', async () => {
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(await dispatcher.submit(JOB, { user: `u${i % 2}` }))
  // Submitted together, many have the same time.
  ids.push(...(await Promise.all(Array.from({ length: 20 }, () => dispatcher.submit(JOB)))))
  const seen: string[] = []
  let next: string | undefined
  do {
    const page = await list({ limit: '4', ...(next !== undefined && { before: next }) })
    expect(page.status).toBe(200)
    seen.push(...idsOf(page))
    next = page.body.next
    ids.push(await dispatcher.submit(JOB))
  } while (next !== undefined)
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.toSorted()).toEqual(ids.slice(0, 25).toSorted())
  expect(seen.slice(-5)).toEqual(ids.slice(0, 5).toReversed())
  const [newest] = (await list({ limit: '1' })).body.result
  expect(newest).toEqual({
    job_id: ids.at(-1),
    state: 'created',
    reason: '',
    job_type: 'opml',
    model: JOB.model,
    user: '',
    tag: '',
    effective_tag: '',
    priority: 0,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    finished_at: null,
  })
})

test('jobs are found by state, model and user, and by all of them together', async () => {
  const model = `other model${PIN}`
  const id = await dispatcher.submit({ ...JOB, model }, { user: 'a\u0000b', tag: 'malicious' })
  const cancelled = await dispatcher.submit({ ...JOB, model }, { user: 'a\u0000b' })
  await dispatcher.post('/api/job/cancel', { job_id: cancelled, verify: dispatcher.token })
  expect(idsOf(await list({ model }))).toEqual([cancelled, id])
  // A pin is the same in upper case.
  expect(
    idsOf(await list({ model: model.replace(/[a-f0-9]{64}$/, (x) => x.toUpperCase()) })),
  ).toEqual([cancelled, id])
  expect(idsOf(await list({ model: 'other model' }))).toEqual([])
  expect(idsOf(await list({ user: 'a\u0000b', state: 'cancelled', model }))).toEqual([cancelled])
  expect(idsOf(await list({ state: 'completed' }))).toEqual([])
  const { body } = await list({ user: 'a\u0000b' })
  expect(body.result).toMatchObject([
    // Its user is under review, though it was submitted without a tag (D60).
    { state: 'cancelled', tag: '', effective_tag: 'malicious', finished_at: expect.any(String) },
    { state: 'created', tag: 'malicious', effective_tag: 'malicious' },
  ])
})

test('another project, and whoever has no token, sees nothing of them', async () => {
  const other = await createProject(dispatcher.sql, { name: 'other' })
  expect(await list({}, other.token)).toMatchObject({ status: 200, body: { result: [] } })
  expect((await list({}, '')).status).toBe(401)
  expect((await list({}, 'wrong')).status).toBe(401)
  expect(JSON.stringify((await list()).body)).not.toContain(JOB.prompt)
})

test.each([
  { state: 'done' },
  { limit: '0' },
  { limit: '1001' },
  { limit: 'x' },
  { before: 'x' },
  { before: `${'9'.repeat(17)}_${'0'.repeat(64)}` },
  { model: 'a\u0000b' },
  { model: 'x'.repeat(257) },
  { user: 'x'.repeat(1025) },
])('the query %j is 400, with the field that was wrong', async (query) => {
  const { status, body } = await list(query)
  expect(status).toBe(400)
  expect(body.details[0]?.path).toBe(Object.keys(query)[0])
})

test('a cursor far in the past or the future is the end or the beginning', async () => {
  const id = '0'.repeat(64)
  expect(await list({ before: `0_${id}` })).toMatchObject({ body: { result: [] } })
  const { body } = await list({ before: `9999999999999999_${id}`, limit: '1' })
  expect(body.result).toHaveLength(1)
})

test('pages are read from an index, also with a filter', async () => {
  const plan = async (where: string): Promise<string> => {
    const { db } = dispatcher.sql
    const { sql } = await import('kysely')
    return db.transaction().execute(async (transaction) => {
      await sql`set local enable_seqscan = off`.execute(transaction)
      const { rows } = await sql`
        explain select id from jobs where project = 'test' and ${sql.raw(where)}
        and (created_at, id) < (now(), '') order by created_at desc, id desc limit 10`.execute(
        transaction,
      )
      return JSON.stringify(rows)
    })
  }
  const indexes = {
    true: 'jobs_listed on',
    "model = 'x'": 'jobs_listed_model',
    "state in ('failed')": 'jobs_listed_state',
  }
  for (const [where, index] of Object.entries(indexes)) {
    const shown = await plan(where)
    expect(shown).toContain(index)
    expect(shown).not.toContain('Sort')
  }
})
