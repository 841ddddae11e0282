/** What projects can do with submitted jobs: cancel them, list failed ones, retry them (D25). */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { JOB_ID } from '../../proof/job/job.ts'
import { ApiError } from './apiError.ts'
import { assignmentMay, jobIn, jobMay } from './lifecycle/predicates.ts'
import { DEAD_LETTER_STATES } from './lifecycle/states.ts'
import type { DeadLetter } from './schemas.ts'
import type { DispatcherSql } from './tables.ts'

/** A job, identified together with the project that owns it. */
type Named = { readonly id: string; readonly project: string }

/** Throws ApiError 404 for a string that is not a job id: PostgreSQL rejects some of them as parameters (U+0000). */
export function requireJobId(id: string): void {
  if (!JOB_ID.test(id)) throw new ApiError(404, 'there is no such job')
}

/** Cancels an unfinished job; later answers are refused (D106). Idempotent. Throws ApiError (404, 409). */
export async function cancelJob({ db }: DispatcherSql, { id, project }: Named): Promise<void> {
  requireJobId(id)
  const isCancelled = await db.transaction().execute(async (transaction) => {
    // Whoever holds the lock may have handed the job out: only a later statement sees to whom.
    const { numUpdatedRows } = await transaction
      .updateTable('jobs')
      .set({
        state: 'cancelled',
        reason: 'cancelled by its project',
        finished_at: sql`now()`,
        planned: true,
      })
      .where('id', '=', id)
      .where('project', '=', project)
      .where(jobMay('cancel'))
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await sql`
      update assignments set state = 'lost', reason = 'the job was cancelled'
      where job_id = ${id} and ${assignmentMay('cancel')}`.execute(transaction)
    return true
  })
  if (isCancelled) return
  const state = await stateOf(db, { id, project })
  if (state !== 'cancelled') throw new ApiError(409, `the job is already ${state}`)
}

/** Starts another round of a job that failed, expired or was cancelled, with a new seed. Throws ApiError (404, 409). */
export async function retryJob(
  { db }: DispatcherSql,
  { id, project }: Named,
  deadlineMs: number,
): Promise<void> {
  requireJobId(id)
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set((job) => ({
      state: 'created',
      reason: '',
      planned: false,
      failures: 0,
      postponed: 0,
      round: job('round', '+', 1),
      seed: randomBytes(32).toString('hex'),
      run_at: sql`now()`,
      finished_at: null,
      dispatched_at: null,
      deadline_at: sql`now() + ${deadlineMs} * interval '1 millisecond'`,
    }))
    .where('id', '=', id)
    .where('project', '=', project)
    .where(jobMay('retry'))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n)
    throw new ApiError(409, `the job is ${await stateOf(db, { id, project })}`)
}

/** Jobs of a project that failed or expired, newest first, starting after the one with the id `after`. */
export async function listDeadLetters(
  { db }: DispatcherSql,
  project: string,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<DeadLetter[]> {
  let rows = db
    .selectFrom('jobs')
    .select(['id', 'state', 'reason', 'type', 'model', 'failures'])
    .select(sql<string>`to_char(finished_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`.as('at'))
    .where('project', '=', project)
    .where(jobIn(DEAD_LETTER_STATES))
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.after !== undefined)
    rows = rows.where(
      sql<boolean>`(finished_at, id) < (select finished_at, id from jobs where id = ${page.after})`,
    )
  return (await rows.execute()).map(({ id, state, reason, type, model, failures, at }) => ({
    job_id: id,
    state: state === 'expired' ? 'expired' : 'failed',
    reason,
    job_type: type,
    model,
    failures,
    finished_at: at,
  }))
}

/** The state of a job. Throws ApiError 404. */
export async function stateOf(db: DispatcherSql['db'], { id, project }: Named): Promise<string> {
  const job = await db
    .selectFrom('jobs')
    .select('state')
    .where('id', '=', id)
    .where('project', '=', project)
    .executeTakeFirst()
  if (job === undefined) throw new ApiError(404, 'there is no such job')
  return job.state
}
