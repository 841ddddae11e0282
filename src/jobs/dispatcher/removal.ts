/** Removes jobs with everything that belongs to them: on request, and when their retention period is over. */
import { sql } from 'kysely'
import { ApiError } from './apiError.ts'
import { requireJobId, stateOf } from './control.ts'
import type { DispatcherSql } from './tables.ts'

const BATCH = 500

/** Removes a finished job of a project. Throws ApiError (404, 409). */
export async function removeJob(
  { db }: DispatcherSql,
  job: { readonly id: string; readonly project: string },
): Promise<void> {
  requireJobId(job.id)
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('project', '=', job.project)
    .where('finished_at', 'is not', null)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) return
  // What the archive has of it stays there, encrypted, and is not found any more (D107).
  const { rows } = await sql`
    delete from archived_jobs where id = ${job.id} and project = ${job.project} returning id`.execute(
    db,
  )
  if (rows.length === 0)
    throw new ApiError(409, `the job is ${await stateOf(db, job)}: cancel it first`)
}

/** Removes jobs that finished longer ago than `retentionMs`, in batches; 0 keeps all. */
export async function removeOldJobs({ db }: DispatcherSql, retentionMs: number): Promise<void> {
  if (retentionMs === 0) return
  for (;;) {
    const { rows } = await sql`
      delete from jobs where id in (
        select id from jobs where finished_at < now() - ${retentionMs} * interval '1 millisecond'
        order by finished_at limit ${BATCH} for update skip locked)
      returning id`.execute(db)
    if (rows.length < BATCH) return
  }
}
