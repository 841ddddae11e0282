/**
 * Idempotency keys (draft-ietf-httpapi-idempotency-key-header): a request that is repeated with its key is the same
 * job. A key belongs to a project, and is deleted with its job or after a day.
 */
import { sql, type Transaction } from 'kysely'
import { ApiError } from '../apiError.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import type { Outcome } from './microBatch.ts'
import type { NewJob } from './newJob.ts'

/** How long a key is kept. */
const KEPT_HOURS = 24
const BATCH = 1000

/**
 * Claims the keys of new jobs, in the transaction that stores them. Returns what is already decided: the id of the job
 * that a key identifies, or the error for a key that was used for another request. Waits for transactions that claim
 * the same keys.
 */
export async function claimKeys(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly NewJob[],
): Promise<ReadonlyMap<NewJob, Outcome<string>>> {
  const settled = new Map<NewJob, Outcome<string>>()
  const keyed = jobs.flatMap((job) => (job.key === undefined ? [] : [{ job, key: job.key }]))
  if (keyed.length === 0) return settled
  const projects = keyed.map(({ job }) => job.caller.project)
  const keys = keyed.map(({ key }) => key)
  await sql`
    insert into idempotency_keys (project, key, fingerprint, job_id)
    select project, key, fingerprint, job_id from unnest(${projects}::text[], ${keys}::text[],
      ${keyed.map(({ job }) => job.fingerprint)}::bytea[], ${keyed.map(({ job }) => job.id)}::text[])
      with ordinality as claimed(project, key, fingerprint, job_id, at)
    order by project, key, at
    on conflict do nothing`.execute(transaction)
  const { rows } = await sql<{ at: number; fingerprint: Buffer; job_id: string }>`
    select asked.at::integer - 1 as at, k.fingerprint, k.job_id
    from unnest(${projects}::text[], ${keys}::text[]) with ordinality as asked(project, key, at)
      join idempotency_keys k on k.project = asked.project and k.key = asked.key`.execute(
    transaction,
  )
  for (const { at, fingerprint, job_id } of rows) {
    const job = keyed[at]?.job
    if (job === undefined || job_id === job.id) continue
    settled.set(
      job,
      fingerprint.equals(job.fingerprint)
        ? { value: job_id }
        : { error: new ApiError(422, 'the Idempotency-Key was used for a different request') },
    )
  }
  return settled
}

/** Releases the keys of jobs that are not stored after all. */
export async function releaseKeys(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly NewJob[],
): Promise<void> {
  if (jobs.length === 0) return
  const ids = jobs.map(({ id }) => id)
  await transaction.deleteFrom('idempotency_keys').where('job_id', 'in', ids).execute()
}

/** Deletes old keys. */
export async function forgetKeys({ db }: DispatcherSql): Promise<void> {
  await sql`
    delete from idempotency_keys where (project, key) in (
      select project, key from idempotency_keys
      where created_at < now() - ${KEPT_HOURS} * interval '1 hour'
      order by created_at limit ${BATCH} for update skip locked)`.execute(db)
}
