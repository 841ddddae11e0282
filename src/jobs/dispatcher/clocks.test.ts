/** What operators can put into the clocks of jobs, and databases in which former releases let them. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { toHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { MAX_PARTICIPANTS, mergeClocks } from '../../proof/job/vectorClock.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

const JOB = { tag: 'opml', prompt: 'p', model: 'tiny.gguf' }
const junk = Object.fromEntries(Array.from({ length: 255 }, (_, at) => [`junk${at}`, '7']))

/** Lets an honest operator do one job; resolves with the clocks of the answer and of the job. */
async function doHonestly(dispatcher: TestDispatcher, id: string, privateKey: Uint8Array) {
  const honest = await connectOperator(dispatcher, { privateKey })
  const dispatch = await honest.next('dispatch')
  expect(dispatch.jobId).toBe(id)
  const result = await honest.answer(dispatch)
  honest.send(result)
  await honest.next('recorded')
  honest.socket.close()
  await honest.closed
  return { answer: result.clock, job: (await dispatcher.detail(id)).clock }
}

// Holds D73.
test('what one operator invents in a clock reaches neither the job nor another operator', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'invented', { maxAttempts: 100 })
  const attacker = await connectOperator(dispatcher)
  const id = await dispatcher.submit(JOB)
  for (const invented of [junk, { [dispatcher.dispatcherAddress]: '9'.repeat(20) }]) {
    const result = await attacker.answer(await attacker.next('dispatch'))
    attacker.send({ ...result, clock: { ...invented, ...result.clock, ...invented } })
    expect((await attacker.next('rejected')).reason).toMatch(/clock/)
  }
  const own = await attacker.answer(await attacker.next('dispatch'))
  attacker.send({ ...own, clock: { ...own.clock, [attacker.address]: '9'.repeat(20) } })
  expect((await attacker.next('rejected')).reason).toMatch(/clock counts more than/)
  attacker.socket.close()
  await attacker.closed

  const key = randomBytes(32)
  const honest = toHex(addressOfPrivateKey(key))
  const clocks = await doHonestly(dispatcher, id, key)
  expect(Object.keys(clocks.answer).sort()).toEqual([honest, dispatcher.dispatcherAddress].sort())
  expect(Object.keys(clocks.job).sort()).toEqual([honest, dispatcher.dispatcherAddress].sort())
  await dispatcher.close()
})

test('a job that hundreds have answered can still be handed out and answered', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'crowded')
  const id = await dispatcher.submit(JOB)
  const crowd = Object.fromEntries(
    Array.from({ length: MAX_PARTICIPANTS - 2 }, () => [toHex(randomBytes(20)), '1']),
  )
  await dispatcher.sql.db
    .updateTable('jobs')
    .set({ clock: JSON.stringify({ ...crowd, [dispatcher.dispatcherAddress]: '1' }) })
    .where('id', '=', id)
    .execute()
  const { answer, job } = await doHonestly(dispatcher, id, randomBytes(32))
  expect(Object.keys(answer)).toHaveLength(MAX_PARTICIPANTS)
  expect(Object.keys(job)).toHaveLength(MAX_PARTICIPANTS - 1)
  await dispatcher.close()
})

test('an operator that merges the clocks of its jobs, as former releases did, is believed', async () => {
  const dispatcher = await startTestDispatcher(postgres, 'merged')
  const key = randomBytes(32)
  const first = await dispatcher.submit(JOB)
  const before = await doHonestly(dispatcher, first, key)
  const former = await connectOperator(dispatcher)
  const second = await dispatcher.submit(JOB)
  const dispatch = await former.next('dispatch')
  const merged = { ...dispatch, clock: { ...before.job, ...dispatch.clock } }
  former.send(await former.answer(merged))
  expect(await former.next('recorded')).toMatchObject({ jobId: second })
  const { clock } = await dispatcher.detail(second)
  expect(Object.keys(clock)).not.toContain(toHex(addressOfPrivateKey(key)))
  former.socket.close()
  await dispatcher.close()
})

/**
 * Makes a database one of the release before, which merged an attacker's answer into the clocks of these jobs: 255
 * participants that do not exist, and a count of twenty nines for an operator that is honest.
 */
async function poison({ sql: { db } }: TestDispatcher, ids: readonly string[], honest: string) {
  for (const id of ids) {
    const { clock } = await db
      .selectFrom('jobs')
      .select('clock')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const merged = mergeClocks(mergeClocks(clock, junk), { [honest]: '9'.repeat(20) })
    await db
      .updateTable('jobs')
      .set({ clock: JSON.stringify(merged) })
      .where('id', '=', id)
      .execute()
  }
  await sql`alter table operators drop column events`.execute(db)
  await sql`alter table jobs drop column postponed, drop column drawn, drop column spare`.execute(
    db,
  )
  await sql`alter table sessions drop column changed_at`.execute(db)
  await sql`drop index assignments_leases`.execute(db)
  await sql`drop table archived_jobs, model_registry`.execute(db)
  await sql`alter table sessions drop column offered, drop column refused`.execute(db)
  await sql`alter table operators drop column other_files`.execute(db)
  await sql`alter table jobs drop column submitted_tag, drop column agree_k, drop column agree_n`.execute(
    db,
  )
  await sql`alter table projects drop column tokens_per_minute`.execute(db)
  await sql`drop index jobs_listed, jobs_listed_model, jobs_listed_state`.execute(db)
  await sql`delete from kysely_migration where name >= '0010'`.execute(db)
}

test('a database that a former release let operators poison heals at the next start', async () => {
  const key = randomBytes(32)
  const honest = toHex(addressOfPrivateKey(key))
  const before = await startTestDispatcher(postgres, 'poisoned')
  const done = await before.submit(JOB)
  const sound = await doHonestly(before, done, key)
  const open = await before.submit(JOB)
  await poison(before, [done, open], honest)
  await before.close()

  const after = await startTestDispatcher(postgres, 'poisoned')
  const { answer, job } = await doHonestly(after, open, key)
  expect(Object.keys(answer).sort()).toEqual([honest, after.dispatcherAddress].sort())
  expect(Object.keys(job).sort()).toEqual([honest, after.dispatcherAddress].sort())
  await expect.poll(async () => (await after.detail(done)).clock).toEqual(sound.job)
  const { events } = await after.sql.db
    .selectFrom('operators')
    .select('events')
    .where('address', '=', honest)
    .executeTakeFirstOrThrow()
  expect(events).toBe(1n)
  await after.close()
})
