/** Long, because it starts a PostgreSQL. The bucket is a stand-in (test/support/bucket.ts). */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBucket, type Bucket } from '../../../../test/support/bucket.ts'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../../test/support/scriptedOperator.ts'
import { archiveOldJobs } from './archive.ts'
import { ObjectStoreError, openObjectStore } from './objectStore.ts'

const RETENTION_MS = 3_600_000
const PARAMS = { temperature: 0, top_p: 1, max_tokens: 16 }

let postgres: TestPostgres
let dispatcher: TestDispatcher
let bucket: Bucket

beforeAll(async () => {
  postgres = await startTestPostgres()
  bucket = await startBucket()
  dispatcher = await startTestDispatcher(postgres, 'archive', { archiveUrl: bucket.url })
})

afterAll(async () => {
  await dispatcher.close()
  bucket.close()
  await postgres.stop()
})

/** A finished job, older than the retention. */
async function oldJob(prompt: string): Promise<string> {
  const operator = await connectOperator(dispatcher, { models: ['m.gguf'] })
  const id = await dispatcher.submit({ tag: 'opml', prompt, model: 'm.gguf', params: PARAMS })
  operator.send(await operator.answer(await operator.next('dispatch'), `é \u0000 ${prompt}`))
  await operator.next('recorded')
  operator.socket.close()
  await sql`update jobs set finished_at = finished_at - interval '1 day' where id = ${id}`.execute(
    dispatcher.sql.db,
  )
  return id
}

const archive = (): Promise<void> =>
  archiveOldJobs(dispatcher.sql, openObjectStore(bucket.url), RETENTION_MS)

const storedJobs = async (): Promise<readonly string[]> =>
  (await dispatcher.sql.db.selectFrom('jobs').select('id').execute()).map(({ id }) => id)

// Holds D107.
test('archived jobs leave the database, and answer as before', async () => {
  const ids = [await oldJob('a secret'), await oldJob('another')]
  const read = (id: string) =>
    Promise.all([
      dispatcher.detail(id),
      dispatcher.results(id),
      fetch(`http://${dispatcher.httpAddress}/api/job/receipt/${id}`).then((reply) => reply.json()),
    ])
  const before = await Promise.all(ids.map(read))
  expect(before[0]?.[2]).toMatchObject({ code: 200 })
  await archive()
  expect(await storedJobs()).toEqual([])
  expect(bucket.objects.size).toBe(1)
  expect(await Promise.all(ids.map(read))).toEqual(before)
  for (const object of bucket.objects.values())
    expect(object.includes(Buffer.from('secret'))).toBe(false)
  await archive()
  expect(bucket.objects.size).toBe(1)
})

test('while the archive is away no job leaves the database, and archived ones are to be asked for later', async () => {
  const archived = await oldJob('archived')
  await archive()
  const waiting = await oldJob('waiting')
  bucket.isAway = true
  await expect(archive()).rejects.toThrow(ObjectStoreError)
  expect(await storedJobs()).toEqual([waiting])
  expect(await dispatcher.post('/api/job/result', { job_id: archived })).toMatchObject({
    status: 503,
    body: { error: 'unavailable' },
  })
  bucket.isAway = false
  await archive()
  expect(await dispatcher.results(waiting)).toHaveLength(1)
})

test('a job that is deleted is not found in the archive, and neither is one that the archive lost', async () => {
  const [deleted, lost] = [await oldJob('deleted'), await oldJob('lost')]
  await archive()
  const reply = await dispatcher.post(
    '/api/job/delete',
    { job_id: deleted },
    { authorization: `Bearer ${dispatcher.token}` },
  )
  expect(reply.status).toBe(200)
  expect((await dispatcher.post('/api/job/result', { job_id: deleted })).status).toBe(404)
  bucket.objects.clear()
  expect((await dispatcher.post('/api/job/detail', { job_id: lost })).status).toBe(404)
})
