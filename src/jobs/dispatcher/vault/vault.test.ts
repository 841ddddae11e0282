import { randomBytes } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../../test/support/scriptedOperator.ts'
import { removeOldJobs } from '../removal.ts'

const SECRET = 'what only the user may know'
const JOB = { tag: 'opml', prompt: SECRET, model: 'tiny.gguf' }

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'vault')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

/** The complete contents of the database, with bytes as text. */
async function dump(): Promise<string> {
  const tables = ['jobs', 'results', 'draws', 'assignments', 'project_keys', 'idempotency_keys']
  const parts = tables.map(async (table) => {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
      dispatcher.sql.db,
    )
    return rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)))
  })
  return (await Promise.all(parts)).flat().join('\n')
}

async function completeJob(): Promise<string> {
  const model = `${randomBytes(6).toString('hex')}.gguf`
  const id = await dispatcher.submit({ ...JOB, model })
  const operator = await connectOperator(dispatcher, { models: [model] })
  operator.send(await operator.answer(await operator.next('dispatch'), `about ${SECRET}`))
  await operator.next('recorded')
  operator.socket.close()
  return id
}

test('neither prompts nor answers stand in the database, and both are read as they were', async () => {
  const id = await completeJob()
  expect(await dump()).not.toContain(SECRET)
  expect(await dispatcher.detail(id)).toMatchObject({ job: { prompt: SECRET } })
  expect(await dispatcher.results(id)).toMatchObject([{ result: `about ${SECRET}` }])
  expect((await stat(dispatcher.options.promptKeyFile)).mode & 0o777).toBe(0o600)
})

test('a prompt that was moved to another job is not read', async () => {
  const [from, to] = [await dispatcher.submit(JOB), await dispatcher.submit(JOB)]
  await sql`update jobs set request = (select request from jobs where id = ${from})
    where id = ${to}`.execute(dispatcher.sql.db)
  expect((await dispatcher.post('/api/job/detail', { job_id: to })).status).toBe(500)
  await sql`update jobs set state = 'cancelled', finished_at = now() where id = ${to}`.execute(
    dispatcher.sql.db,
  )
  await sql`delete from jobs where id = ${to}`.execute(dispatcher.sql.db)
})

test('jobs from before encryption are still read', async () => {
  const id = await dispatcher.submit(JOB)
  await dispatcher.sql.db
    .updateTable('jobs')
    .set({ request: Buffer.from(JSON.stringify(JOB)) })
    .where('id', '=', id)
    .execute()
  expect(await dispatcher.detail(id)).toMatchObject({ job: JOB })
})

test('a dispatcher with another key file does not start', async () => {
  await dispatcher.submit(JOB)
  const promptKeyFile = `${dispatcher.options.promptKeyFile}.other`
  await writeFile(promptKeyFile, '11'.repeat(32), { mode: 0o600 })
  await expect(startTestDispatcher(postgres, 'vault', { promptKeyFile })).rejects.toThrow(
    /is not the key/,
  )
})

test('a finished job is deleted with everything about it, a running one is not', async () => {
  const id = await completeJob()
  const running = await dispatcher.submit(JOB)
  const remove = (job_id: string, verify?: string) =>
    dispatcher.post('/api/job/delete', { job_id, verify })
  expect((await remove(id)).status).toBe(401)
  expect((await remove(running, dispatcher.token)).status).toBe(409)
  expect((await remove(id, dispatcher.token)).status).toBe(200)
  expect((await remove(id, dispatcher.token)).status).toBe(404)
  expect(await dump()).not.toContain(id)
})

test('jobs are removed when their time is over, and not before', async () => {
  const [old, young] = [await completeJob(), await completeJob()]
  await sql`update jobs set finished_at = now() - interval '2 hours' where id = ${old}`.execute(
    dispatcher.sql.db,
  )
  await removeOldJobs(dispatcher.sql, 0)
  expect(await dispatcher.results(old)).toHaveLength(1)
  await removeOldJobs(dispatcher.sql, 3_600_000)
  expect((await dispatcher.post('/api/job/detail', { job_id: old })).status).toBe(404)
  expect(await dispatcher.results(young)).toHaveLength(1)
})
