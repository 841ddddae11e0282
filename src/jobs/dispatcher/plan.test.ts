/** Long, because it starts a PostgreSQL; many operators are rows of sessions, and answer nothing by themselves. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/dispatcher.ts'
import { drawOrder, seatOf } from '../../proof/committee.ts'
import { openSql } from '../../store/sql/open.ts'
import { createProject, setAgreement } from './access/projects.ts'
import { FULL_RANGE } from './admission.ts'
import { Committees } from './committees.ts'
import { cancelJob } from './control.ts'
import { openDispatcherSql } from './dispatcher.ts'
import { planJobs } from './plan.ts'
import { recordFailure } from './record.ts'
import { claimAssignments, expireJobs, listWaiting, reapAssignments } from './schedule.ts'
import { closeOperatorSession, openOperatorSession } from './sessions.ts'
import type { DispatcherSql, DispatcherTables } from './tables.ts'

const log = pino({ level: 'silent' })
const MODEL = 'm.gguf'
const COMMITTEE = 4
const MAX_ATTEMPTS = 3
const SETTINGS = { committee: COMMITTEE, maxAttempts: MAX_ATTEMPTS }
const BLOCK = 'bb'.repeat(32)

let postgres: TestPostgres
let store: DispatcherSql
const sessions = new Map<string, string>()

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openDispatcherSql(postgres.url('plan'), log)
  for (const id of ['any', 'agreed']) await createProject(store, { name: id, id })
  await setAgreement(store, 'agreed', { k: 2, n: 3 })
}, 60_000)

afterAll(async () => {
  await store.close()
  await postgres.stop()
})

beforeEach(async () => {
  await sql`truncate jobs, sessions cascade`.execute(store.db)
  sessions.clear()
})

async function connect(
  count: number,
  models: readonly string[] = [MODEL],
  slots = 2,
): Promise<string[]> {
  const operators: string[] = []
  for (let at = 0; at < count; at++) {
    const operator = `0x${randomBytes(20).toString('hex')}`
    const session = randomBytes(32).toString('hex')
    sessions.set(operator, session)
    operators.push(operator)
    const offer = { operator, session, protocol: 3, workers: ['opml'], models, slots } as const
    await openOperatorSession(store, randomUUID(), offer, FULL_RANGE)
  }
  return operators
}

async function addJob(project = 'any'): Promise<{ readonly id: string; readonly seed: string }> {
  const [id, seed] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  await sql`
    insert into jobs (id, project, user_id, tag, type, model, request, seed, clock, deadline_at, draw_block_hash)
    values (${id}, ${project}, '', '', 'opml', ${MODEL}, '', ${seed}, '{}', now() + interval '1 hour', ${BLOCK})`.execute(
    store.db,
  )
  return { id, seed }
}

async function toldOf(id: string): Promise<string[]> {
  const rows = await store.db
    .selectFrom('assignments')
    .select('operator')
    .where('job_id', '=', id)
    .execute()
  return rows.map(({ operator }) => operator).sort()
}

const orderFor = (
  job: { readonly id: string; readonly seed: string },
  operators: readonly string[],
): string[] => {
  const ring = operators.map(seatOf).sort((a, b) => (a.place < b.place ? -1 : 1))
  return [...drawOrder({ jobId: job.id, seed: job.seed, blockHash: BLOCK }, ring)]
}

/** All that the round was for so far refuse, as if they were busy. */
async function refuseAll(id: string): Promise<void> {
  await sql`update assignments set state = 'open', lease = gen_random_uuid()
    where job_id = ${id} and state = 'waiting'`.execute(store.db)
  const { rows } = await sql<{ operator: string; lease: string }>`
    select operator, lease from assignments where job_id = ${id} and state = 'open'`.execute(
    store.db,
  )
  for (const row of rows)
    await recordFailure(
      store,
      { ...row, reason: 'no', retry: true, unavailable: true },
      MAX_ATTEMPTS,
    )
}

const roundOf = async (id: string) =>
  store.db
    .selectFrom('jobs')
    .select(['round', 'planned', 'drawn', 'state'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

// Holds D104.
test('a job is for the first operators in the order that its block gives, and no row is written for others', async () => {
  // With as many slots as jobs nobody is busy, whoever they are for.
  const able = await connect(40, [MODEL], 3)
  await connect(5, ['other.gguf'])
  const jobs = [await addJob(), await addJob(), await addJob()]
  expect(await planJobs(store, new Committees(store), SETTINGS)).toBe(3)
  for (const job of jobs) {
    const first = orderFor(job, able).slice(0, COMMITTEE)
    expect(await toldOf(job.id)).toEqual(first.sort())
  }
})

test('up to the size of a committee, all operators that serve the model are told', async () => {
  await connect(COMMITTEE)
  const { id } = await addJob()
  await planJobs(store, new Committees(store), SETTINGS)
  expect(await toldOf(id)).toEqual([...sessions.keys()].sort())
})

test('when those that were drawn bring nothing, the next ones are, in the same round; at last there is another', async () => {
  await connect(10)
  const job = await addJob()
  const committees = new Committees(store)
  await planJobs(store, committees, SETTINGS)
  const first = await toldOf(job.id)
  await refuseAll(job.id)
  expect(await roundOf(job.id)).toMatchObject({ round: 0, planned: false })
  await planJobs(store, committees, SETTINGS)
  const second = await toldOf(job.id)
  expect(second).toHaveLength(2 * COMMITTEE)
  expect(second).toEqual(expect.arrayContaining(first))
  await refuseAll(job.id)
  await planJobs(store, committees, SETTINGS)
  expect(await toldOf(job.id)).toHaveLength(10)
  await refuseAll(job.id)
  expect(await roundOf(job.id)).toMatchObject({ round: 1, planned: false, drawn: 0 })
})

test('of the operators that are to agree, one that fails is replaced', async () => {
  await connect(10)
  const job = await addJob('agreed')
  const committees = new Committees(store)
  await planJobs(store, committees, SETTINGS)
  expect(await toldOf(job.id)).toHaveLength(3)
  await refuseAll(job.id)
  await planJobs(store, committees, SETTINGS)
  expect(await toldOf(job.id)).toHaveLength(6)
  expect(await roundOf(job.id)).toMatchObject({ round: 0 })
})

test('operators that left are not drawn, also before the table of them is read again', async () => {
  await connect(6)
  const committees = new Committees(store)
  await addJob()
  await planJobs(store, committees, SETTINGS)
  const gone = [...sessions.keys()].slice(0, 4)
  for (const operator of gone) await closeOperatorSession(store, sessions.get(operator) ?? '')
  const { id } = await addJob()
  while ((await planJobs(store, committees, SETTINGS)) === 0);
  for (const operator of gone) expect(await toldOf(id)).not.toContain(operator)
})

test('where there is a choice, operators whose slots are taken are not drawn', async () => {
  await connect(12)
  const busy = [...sessions.keys()].slice(0, 6)
  const { id: old } = await addJob()
  for (const operator of busy)
    for (const round of [0, 1, 2])
      await sql`insert into assignments (job_id, operator, round) values (${old}, ${operator}, ${round})`.execute(
        store.db,
      )
  await sql`update jobs set planned = true where id = ${old}`.execute(store.db)
  const { id } = await addJob()
  await planJobs(store, new Committees(store), SETTINGS)
  for (const operator of await toldOf(id)) expect(busy).not.toContain(operator)
})

test('only operators that wait for something are looked at for hand-outs', async () => {
  await connect(40)
  const { id } = await addJob()
  await planJobs(store, new Committees(store), SETTINGS)
  const waiting = await listWaiting(store)
  expect([...waiting].sort()).toEqual(await toldOf(id))
  const handouts = await claimAssignments(
    store,
    waiting.flatMap((operator) => sessions.get(operator) ?? []),
    1000,
  )
  expect(handouts).toHaveLength(COMMITTEE)
  expect(await listWaiting(store)).toEqual([])
})

// Holds D105.
test('among many jobs, what is due is found by indexes', async () => {
  await connect(3)
  await sql`
    insert into jobs (id, project, user_id, tag, type, model, request, seed, clock, deadline_at, planned)
    select md5(n::text), 'any', '', '', 'opml', ${MODEL}, '', '', '{}', now() + interval '1 hour', true
    from generate_series(1, 5000) n`.execute(store.db)
  await sql`update sessions set changed_at = now() - interval '1 hour'`.execute(store.db)
  await sql`
    insert into assignments (job_id, operator, round) select jobs.id, s.operator, 0 from jobs, sessions s`.execute(
    store.db,
  )
  await sql`update assignments set state = 'open', lease = gen_random_uuid(),
    lease_until = now() + interval '1 hour' where ctid in (select ctid from assignments limit 7500)`.execute(
    store.db,
  )
  await sql`analyze`.execute(store.db)
  // Counts belong to a connection until it flushes them.
  const single = openSql<DispatcherTables>(postgres.url('plan'), { log, connections: 1 })
  const read = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`.execute(single.db)
    const { rows } = await sql<{ count: bigint }>`
      select (seq_tup_read + idx_tup_fetch)::bigint as count from pg_stat_user_tables
      where relname = 'assignments'`.execute(single.db)
    return Number(rows[0]?.count ?? 0)
  }
  const before = await read()
  await reapAssignments(single, { leaseMs: 60_000, maxAttempts: MAX_ATTEMPTS })
  await expireJobs(single)
  const after = await read()
  await single.close()
  expect(after - before).toBeLessThan(100)
})

/** Runs `end` while a transaction that hands the job to an operator is about to commit. */
async function whilePlanning(id: string, end: () => Promise<void>): Promise<void> {
  let ended: Promise<void> | undefined
  await store.db.transaction().execute(async (transaction) => {
    await sql`select from jobs where id = ${id} for update`.execute(transaction)
    await sql`insert into assignments (job_id, operator, round) values (${id}, 'late', 0)`.execute(
      transaction,
    )
    ended = end()
    await expect
      .poll(async () => (await sql`select from pg_locks where not granted`.execute(store.db)).rows)
      .toHaveLength(1)
  })
  await ended
}

// Holds D106.
test('a job that is cancelled while it is handed out leaves nobody waiting for it', async () => {
  const { id } = await addJob()
  await whilePlanning(id, () => cancelJob(store, { id, project: 'any' }))
  expect(await listWaiting(store)).toEqual([])
})

test('a job whose deadline passes while it is handed out leaves nobody waiting for it', async () => {
  const { id } = await addJob()
  await store.db.transaction().execute(async (transaction) => {
    await sql`update jobs set deadline_at = now() where id = ${id}`.execute(store.db)
    await sql`select from jobs where id = ${id} for update`.execute(transaction)
    await sql`insert into assignments (job_id, operator, round) values (${id}, 'late', 0)`.execute(
      transaction,
    )
    await expireJobs(store)
  })
  await expireJobs(store)
  expect(await roundOf(id)).toMatchObject({ state: 'expired' })
  expect(await listWaiting(store)).toEqual([])
})
