import { randomBytes, randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../../test/support/dispatcher.ts'
import { ensureDatabase } from '../../../store/sql/database.ts'
import { migrate } from '../../../store/sql/migrate.ts'
import { openSql } from '../../../store/sql/open.ts'
import { createProject } from '../access/projects.ts'
import { openDispatcherSql } from '../dispatcher.ts'
import { JOB_LIFECYCLE } from '../lifecycle.ts'
import { migrations } from '../migrations.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import { ASSIGNMENT_LIFECYCLE } from './assignments.ts'
import { ABSENT, allStates, mayGo, type AnyLifecycle } from './machine.ts'
import { REFUSAL_SQL, triggersSql } from './triggers.ts'

const log = pino({ level: 'silent' })
const LIFECYCLES: readonly AnyLifecycle[] = [JOB_LIFECYCLE, ASSIGNMENT_LIFECYCLE]
const DERIVED = [REFUSAL_SQL, ...LIFECYCLES.map(triggersSql)].join('')

let postgres: TestPostgres
let store: DispatcherSql

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openDispatcherSql(postgres.url('triggers'), log)
  await createProject(store, { name: 'test', id: 'test' })
})

afterAll(async () => {
  await store.close()
  await postgres.stop()
})

type Connection = Transaction<DispatcherTables>

/** Runs work in a transaction that is rolled back. */
async function undone(work: (transaction: Connection) => Promise<void>): Promise<void> {
  const transaction = await store.db.startTransaction().execute()
  try {
    await work(transaction)
  } finally {
    await transaction.rollback().execute()
  }
}

/** Inserts a row in any state; returns the condition that finds it. */
async function place(transaction: Connection, table: string, state: string) {
  const job = randomBytes(32).toString('hex')
  const isJob = table === 'jobs'
  // Triggers do not fire for replicated changes.
  await sql`set local session_replication_role = replica`.execute(transaction)
  await insertJob(transaction, job, isJob ? state : 'created')
  if (!isJob) await insertAssignment(transaction, job, state)
  await sql`set local session_replication_role = origin`.execute(transaction)
  return { job, found: isJob ? sql`id = ${job}` : sql`job_id = ${job}` }
}

const insertJob = (transaction: Connection, job: string, state: string) =>
  sql`insert into jobs (id, project, user_id, tag, type, model, request, seed, clock, deadline_at, state)
    values (${job}, 'test', '', '', 'opml', 'm', '', '', '{}', now(), ${state})`.execute(
    transaction,
  )

const insertAssignment = (transaction: Connection, job: string, state: string) =>
  sql`insert into assignments (job_id, operator, round, state)
    values (${job}, ${randomUUID()}, 0, ${state})`.execute(transaction)

/** Whether the database accepts a statement; what preceded it in the transaction is kept. */
async function isTaken(transaction: Connection, statement: ReturnType<typeof sql>) {
  await sql`savepoint before`.execute(transaction)
  try {
    await statement.execute(transaction)
    return true
  } catch (error) {
    expect(error).toMatchObject({
      code: '23514',
      message: expect.stringMatching(/^a row of \w+ may not go from \S+ to \S+$/),
    })
    return false
  } finally {
    await sql`rollback to savepoint before`.execute(transaction)
  }
}

test('the triggers in a migrated database are those of the table', async () => {
  const triggers = async (transaction: Connection) => {
    const { rows } = await sql<{ definition: string }>`
      select pg_get_triggerdef(oid) as definition from pg_trigger
      where tgfoid = 'refuse_transition'::regproc order by tgrelid, tgname`.execute(transaction)
    const { rows: body } = await sql`
      select regexp_replace(prosrc, '\\s+', ' ', 'g') from pg_proc where proname = 'refuse_transition'`.execute(
      transaction,
    )
    return [...rows, ...body]
  }
  await undone(async (transaction) => {
    const migrated = await triggers(transaction)
    await sql.raw(DERIVED).execute(transaction)
    const derived = await triggers(transaction)
    expect(migrated, `a new migration NNNN-lifecycle is needed, with:\n${DERIVED}`).toEqual(derived)
    expect(derived).toHaveLength(6)
  })
})

describe.each(LIFECYCLES.map((lifecycle) => [lifecycle.table, lifecycle] as const))(
  'in the table %s',
  (table, lifecycle) => {
    const states = allStates(lifecycle)
    const isFinished = (state: string) => lifecycle.states[state]?.phase === 'finished'

    test('the column takes the states of the lifecycle and no other', async () => {
      const { rows } = await sql<{ text: string }>`
        select pg_get_constraintdef(oid) as text from pg_constraint
        where conname = ${`${table}_state_check`}`.execute(store.db)
      expect([...(rows[0]?.text ?? '').matchAll(/'(\w+)'/g)].map(([, state]) => state)).toEqual(
        states,
      )
    })

    test('exactly the listed transitions are taken', async () => {
      for (const from of states)
        for (const to of states)
          await undone(async (transaction) => {
            const { found } = await place(transaction, table, from)
            const other =
              table === 'jobs'
                ? sql`finished_at = ${isFinished(to) ? sql`now()` : null}, dispatched_at = now(),
                    round = round + ${isFinished(from) ? 1 : 0}`
                : sql`lease = gen_random_uuid()`
            const whole = sql`update ${sql.table(table)} set state = ${to}, ${other} where ${found}`
            expect(await isTaken(transaction, whole), `${from} -> ${to}`).toBe(
              from === to || mayGo(lifecycle, from, to),
            )
            const needsNothing = lifecycle.transitions.some(
              (row) => row.to === to && row.from.includes(from) && row.requires === undefined,
            )
            const alone = sql`update ${sql.table(table)} set state = ${to} where ${found}`
            expect(await isTaken(transaction, alone), `${from} -> ${to} alone`).toBe(
              from === to || needsNothing,
            )
          })
    })

    test('rows begin where the lifecycle begins', async () => {
      for (const state of states)
        await undone(async (transaction) => {
          const { job } = await place(transaction, 'jobs', 'created')
          const isAllowed = await isTaken(
            transaction,
            table === 'jobs'
              ? sql`insert into jobs select (j).* from (select jsonb_populate_record(j, jsonb_build_object(
                  'id', 'another', 'state', ${state}::text)) as j from jobs j where id = ${job}) j`
              : sql`insert into assignments (job_id, operator, round, state)
                  values (${job}, 'o', 0, ${state})`,
          )
          expect(isAllowed, state).toBe(mayGo(lifecycle, ABSENT, state))
        })
    })

    test('rows are removed only from where the lifecycle ends', async () => {
      for (const state of states)
        await undone(async (transaction) => {
          const { found } = await place(transaction, table, state)
          const removal = sql`delete from ${sql.table(table)} where ${found}`
          expect(await isTaken(transaction, removal), state).toBe(mayGo(lifecycle, state, ABSENT))
        })
    })
  },
)

test('a refusal names the job and the page that lists the transitions', async () => {
  const id = randomBytes(32).toString('hex')
  const attempt = store.db.transaction().execute(async (transaction) => {
    await insertJob(transaction, id, 'created')
    await sql`update jobs set state = 'completed' where id = ${id}`.execute(transaction)
  })
  await expect(attempt).rejects.toMatchObject({
    message: 'a row of jobs may not go from created to completed',
    detail: `job ${id}`,
    hint: expect.stringMatching('docs/job-lifecycle.md'),
    table: 'jobs',
    constraint: 'jobs_transition',
  })
})

const former = Object.fromEntries(
  Object.entries(migrations).filter(([name]) => name < '0009-lifecycle'),
)

/** A database as of the version before the triggers, with a job and an assignment in every state. */
async function openFormer(database: string) {
  await ensureDatabase(postgres.url(database))
  const before = openSql<DispatcherTables>(postgres.url(database), { log })
  await migrate(before.db, former)
  await createProject(before, { name: 'test', id: 'test' })
  await before.db.transaction().execute(async (transaction) => {
    for (const state of allStates(JOB_LIFECYCLE)) await insertJob(transaction, state, state)
    for (const state of allStates(ASSIGNMENT_LIFECYCLE))
      await insertAssignment(transaction, 'dispatched', state)
  })
  return before
}

test('a database with jobs in every state is migrated as it is', async () => {
  const before = await openFormer('existing')
  try {
    const rows = async () => [
      await before.db.selectFrom('jobs').selectAll().orderBy('id').execute(),
      await before.db.selectFrom('assignments').selectAll().orderBy('state').execute(),
    ]
    const found = await rows()
    await migrate(before.db, migrations)
    // Later steps add columns.
    expect(await rows()).toMatchObject(found)
  } finally {
    await before.close()
  }
})

test('a dispatcher that works on a job during the migration finishes first', async () => {
  const before = await openFormer('upgrade')
  try {
    let migrated: Promise<void> | undefined
    await before.db.transaction().execute(async (transaction) => {
      await sql`select from jobs where id = 'dispatched' for update`.execute(transaction)
      migrated = migrate(before.db, migrations)
      await expect
        .poll(
          async () =>
            (await sql`select from pg_locks where not granted`.execute(before.db)).rows.length,
        )
        .toBe(1)
      await sql`update assignments set state = 'lost' where state = 'open'`.execute(transaction)
      await sql`update jobs set failures = 1 where id = 'dispatched'`.execute(transaction)
    })
    await migrated
  } finally {
    await before.close()
  }
})
