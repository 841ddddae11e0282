/** Random walks through the lives of jobs: what the dispatcher does is what its table says, and the table says nothing else. */
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../../test/support/dispatcher.ts'
import { openJobEvents, type JobEvent } from '../../../../test/support/jobEvents.ts'
import {
  changes,
  LIFECYCLES,
  mayReach,
  readSnapshot,
  stepsOf,
  stepsTaken,
  type Row,
  type Snapshot,
} from '../../../../test/support/jobModel.ts'
import { JOB_STORIES } from '../../../../test/support/jobStories.ts'
import { nextJobEvent } from '../../../../test/support/jobWalk.ts'
import { pick, seededRandom, type Random } from '../../../../test/support/randomProgram.ts'
import { createProject, setAgreement } from '../access/projects.ts'
import { openDispatcherSql } from '../dispatcher.ts'
import { JOB_LIFECYCLE } from '../lifecycle.ts'
import type { DispatcherSql } from '../tables.ts'
import { ASSIGNMENT_LIFECYCLE } from './assignments.ts'
import { allStates, mayGo, statesBefore } from './machine.ts'
import { isAnswerable, isFinished, isRecorded } from './states.ts'

const PROJECTS = ['any', 'agreed']
const SEEDS = [1, 2, 3]
const STEPS = 120
const CROWDS = 20

let postgres: TestPostgres
let store: DispatcherSql

beforeAll(async () => {
  postgres = await startTestPostgres()
  store = await openDispatcherSql(postgres.url('walk'), pino({ level: 'silent' }))
  for (const id of PROJECTS) await createProject(store, { name: id, id })
  await setAgreement(store, 'agreed', { k: 2, n: 3 })
}, 60_000)

afterAll(async () => {
  await store.close()
  await postgres.stop()
}, 30_000)

// A seed gives the same walk whether its test runs alone or after others.
beforeEach(async () => {
  await sql`truncate jobs, sessions, watched_users cascade`.execute(store.db)
})

/** The model's expected outcome of a message about a lease. */
function recordingOf(lease: string, { jobs, assignments }: Snapshot): string {
  const row = [...assignments.values()].find((each) => each.lease === lease)
  const job = row && jobs.get(row.job)
  if (row === undefined || job === undefined) return 'late'
  if (isRecorded(row.state)) return 'repeated'
  const counts = isAnswerable(row.state) && !isFinished(job.state) && row.round === job.round
  return counts ? 'recorded' : 'late'
}

/** An event about one row moves it if and only if its cause can, and the caller learns which. */
function checkOutcome(
  { about }: JobEvent,
  outcome: unknown,
  { before, after }: { readonly before: Snapshot; readonly after: Snapshot },
  where: string,
): void {
  if (about === undefined) return
  if ('lease' in about) {
    expect(outcome, where).toBe(recordingOf(about.lease, before))
    return
  }
  const { job: id, cause } = about
  const state = before.jobs.get(id)?.state
  const isMovable = statesBefore<string, string>(JOB_LIFECYCLE, cause).some(
    (each) => each === state,
  )
  expect(
    changes(before.jobs, after.jobs).some(({ key }) => key === id),
    where,
  ).toBe(isMovable)
  // Cancelling a cancelled job succeeds, too.
  if (typeof outcome === 'boolean')
    expect(outcome, where).toBe(isMovable || (cause === 'cancel' && state === 'cancelled'))
}

function checkInvariants({ jobs, assignments }: Snapshot, where: string): void {
  for (const job of jobs.values()) expect(job.finished, where).toBe(isFinished(job.state))
  for (const { state, job } of assignments.values())
    if (ASSIGNMENT_LIFECYCLE.states[state].phase === 'pending')
      expect(isFinished(jobs.get(job)?.state ?? 'created'), where).toBe(false)
}

const present = ({ jobs }: Snapshot) => [...jobs].map(([id, { project }]) => ({ id, project }))

/** Attempts, in SQL, a transition that the table does not list. */
async function trespass(random: Random, { jobs, assignments }: Snapshot): Promise<void> {
  const [table, rows, lifecycle] =
    random(2) === 0
      ? (['jobs', jobs, JOB_LIFECYCLE] as const)
      : (['assignments', assignments, ASSIGNMENT_LIFECYCLE] as const)
  if (rows.size === 0) return
  const [key, { state: from }] = pick<readonly [string, Row]>(random, [...rows])
  const to = pick<string>(random, allStates<string>(lifecycle))
  if (from === to || mayGo(lifecycle, from, to)) return
  const found =
    table === 'jobs' ? sql`id = ${key}` : sql`concat_ws(' ', job_id, operator, round) = ${key}`
  await expect(
    sql`update ${sql.table(table)} set state = ${to} where ${found}`.execute(store.db),
    `${table}: ${from} -> ${to}`,
  ).rejects.toMatchObject({ code: '23514' })
}

/** Runs one event and checks it against the table. Returns the steps that it may have taken, and the snapshot after it. */
async function checked(event: JobEvent, before: Snapshot, where: string) {
  const outcome = await event.run()
  const after = await readSnapshot(store)
  const taken = stepsTaken(event, before, after)
  for (const { table, from, to, found } of taken)
    expect(found, `${where}: ${table} ${from} -> ${to}`).not.toEqual([])
  checkOutcome(event, outcome, { before, after }, where)
  checkInvariants(after, where)
  return { after, steps: taken.flatMap(({ found }) => found) }
}

/** Steps that need two dispatchers at once: one ends a job while the other plans it. */
const ONLY_AT_ONCE = ['assignments waiting -> [*]: remove', 'assignments open -> [*]: remove']

test('stories of jobs take every step of the table and no other', async () => {
  const events = await openJobEvents(store, join(postgres.folder, 'key'))
  const taken = new Set(ONLY_AT_ONCE)
  let before = await readSnapshot(store)
  for (const [title, scenes] of Object.entries(JOB_STORIES)) {
    let job = { id: '', project: '' }
    for (const [at, scene] of scenes.entries()) {
      const event = scene(events, job)
      if ('id' in event) job = event
      const { after, steps } = await checked(event, before, `${title}, scene ${at}: ${event.name}`)
      for (const step of steps) taken.add(step)
      before = after
    }
  }
  const all = LIFECYCLES.flatMap(stepsOf)
  expect([...taken].sort()).toEqual(all.sort())
}, 60_000)

test.each(SEEDS)(
  'a random walk takes only steps of the table (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const events = await openJobEvents(store, join(postgres.folder, 'key'))
    let before = await readSnapshot(store)
    for (let at = 0; at < STEPS; at++) {
      const event = nextJobEvent(events, random, PROJECTS, present(before))
      const { after } = await checked(event, before, `seed ${seed}, event ${at}: ${event.name}`)
      if (random(4) === 0) await trespass(random, after)
      before = after
    }
  },
  60_000,
)

test.each(SEEDS)(
  'events at once take only steps of the table (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const events = await openJobEvents(store, join(postgres.folder, 'key'))
    let before = await readSnapshot(store)
    for (let at = 0; at < CROWDS; at++) {
      const crowd = [1, 2, 3, 4].map(() => nextJobEvent(events, random, PROJECTS, present(before)))
      const where = `seed ${seed}, crowd ${at}: ${crowd.map(({ name }) => name).join('; ')}`
      const outcomes = await Promise.allSettled(crowd.map((event) => event.run()))
      expect(
        outcomes.filter(({ status }) => status === 'rejected'),
        where,
      ).toEqual([])
      const after = await readSnapshot(store)
      const causes = {
        jobs: crowd.flatMap(({ job }) => job),
        assignments: crowd.flatMap(({ assignment }) => assignment),
      }
      for (const lifecycle of LIFECYCLES) {
        const { table } = lifecycle
        for (const change of changes(before[table], after[table]))
          expect(
            mayReach(lifecycle, change, causes[table]),
            `${where}: ${table} ${change.from} -> ${change.to}`,
          ).toBe(true)
      }
      before = after
    }
  },
  60_000,
)
