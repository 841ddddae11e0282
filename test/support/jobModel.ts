/**
 * Jobs and assignments as a database has them, and what their lifecycles say about the changes between two snapshots.
 */
import { sql } from 'kysely'
import { JOB_LIFECYCLE } from '../../src/jobs/dispatcher/lifecycle.ts'
import {
  ASSIGNMENT_LIFECYCLE,
  type AssignmentState,
} from '../../src/jobs/dispatcher/lifecycle/assignments.ts'
import {
  ABSENT,
  allStates,
  mayGo,
  type AnyLifecycle,
} from '../../src/jobs/dispatcher/lifecycle/machine.ts'
import type { DispatcherSql } from '../../src/jobs/dispatcher/tables.ts'
import type { JobState } from '../../src/proof/job/job.ts'
import type { JobEvent } from './jobEvents.ts'

/** Both lifecycles. */
export const LIFECYCLES: readonly (AnyLifecycle & { readonly table: 'jobs' | 'assignments' })[] = [
  JOB_LIFECYCLE,
  ASSIGNMENT_LIFECYCLE,
]

export type Row = { readonly state: string; readonly round: number }
type Job = Row & { readonly state: JobState; readonly project: string; readonly finished: boolean }
type Assignment = Row & {
  readonly state: AssignmentState
  readonly job: string
  readonly lease: string | null
}
/** The rows of both tables by key. */
export type Snapshot = {
  readonly jobs: ReadonlyMap<string, Job>
  readonly assignments: ReadonlyMap<string, Assignment>
}

/** Reads all jobs and assignments, oldest jobs first. */
export async function readSnapshot({ db }: DispatcherSql): Promise<Snapshot> {
  const { rows: jobs } = await sql<Job & { key: string }>`
    select id as key, state, round, project, finished_at is not null as finished
    from jobs order by created_at, id`.execute(db)
  const { rows: assignments } = await sql<Assignment & { key: string }>`
    select concat_ws(' ', job_id, operator, round) as key, job_id as job, state, round, lease
    from assignments order by 1`.execute(db)
  return {
    jobs: new Map(jobs.map(({ key, ...job }) => [key, job])),
    assignments: new Map(assignments.map(({ key, ...assignment }) => [key, assignment])),
  }
}

/** A row that is in another state or round than before. */
export type Change = { readonly key: string; readonly from: string; readonly to: string }

/** Rows that came, went, changed their state or began another round. */
export function changes(
  before: ReadonlyMap<string, Row>,
  after: ReadonlyMap<string, Row>,
): Change[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [from, to] = [before.get(key), after.get(key)]
    return from?.state === to?.state && from?.round === to?.round
      ? []
      : [{ key, from: from?.state ?? ABSENT, to: to?.state ?? ABSENT }]
  })
}

/** Every step that a table lists, as "jobs created -> dispatched: hand-out". */
export function stepsOf({ table, transitions }: AnyLifecycle): string[] {
  return transitions.flatMap(({ from, to, cause }) =>
    from.map((state) => `${table} ${state} -> ${to}: ${cause}`),
  )
}

/** Whether a row may have come from one state to another by some of these causes, one after the other. */
export function mayReach(
  lifecycle: AnyLifecycle,
  { from, to }: Change,
  causes: readonly string[],
): boolean {
  const reached = new Set<string>()
  const queue = [from]
  for (const at of queue)
    for (const next of [...allStates(lifecycle), ABSENT])
      if (!reached.has(next) && mayGo(lifecycle, at, next, causes)) {
        reached.add(next)
        queue.push(next)
      }
  return reached.has(to)
}

/** The changes between two snapshots, each with the steps of the table that the event's causes may have taken. */
export function stepsTaken(event: JobEvent, before: Snapshot, after: Snapshot) {
  const causes = { jobs: event.job, assignments: event.assignment }
  return LIFECYCLES.flatMap((lifecycle) => {
    const { table } = lifecycle
    const listed = stepsOf(lifecycle)
    return changes(before[table], after[table]).map(({ from, to }) => {
      const possible = new Set(causes[table].map((cause) => `${table} ${from} -> ${to}: ${cause}`))
      return { table, from, to, found: listed.filter((step) => possible.has(step)) }
    })
  })
}
