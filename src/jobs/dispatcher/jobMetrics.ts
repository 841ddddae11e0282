/**
 * Metrics of jobs that are read from the database, for all replicas together: each replica reports the same, so they are
 * never summed. A database that does not answer leaves them as they were.
 */
import { sql } from 'kysely'
import type { JobEnd, JobState } from '../../proof/job/job.ts'
import { isUnavailable } from '../../store/sql/database.ts'
import { jobIs } from './lifecycle/predicates.ts'
import { isFinished, JOB_STATES, UNFINISHED_JOB_STATES } from './lifecycle/states.ts'
import { JOB_SECONDS, type DispatcherMetrics } from './metrics.ts'
import type { DispatcherSql } from './tables.ts'

/** A transaction may commit so long after the time that it wrote. */
const SETTLED_SECONDS = 20

/** A scrape within so many milliseconds of another one repeats it: strangers may ask, too. */
const FRESH_MS = 1000

type Waiting = { readonly state: JobState; readonly count: bigint; readonly oldest: number }
type Ended = {
  readonly state: JobEnd
  readonly bucket: number
  readonly count: bigint
  readonly seconds: number
}

async function readWaiting({ db }: DispatcherSql, metrics: DispatcherMetrics): Promise<void> {
  const rows: readonly Waiting[] = await db
    .selectFrom('jobs')
    .select([
      'state',
      sql<bigint>`count(*)`.as('count'),
      sql<number>`extract(epoch from now() - min(created_at))::float8`.as('oldest'),
    ])
    .where(jobIs('unfinished'))
    .groupBy('state')
    .execute()
  for (const state of UNFINISHED_JOB_STATES) {
    const count = rows.find((row) => row.state === state)?.count ?? 0n
    metrics.set('assay_jobs_unfinished', { state }, Number(count))
  }
  const oldest = Math.max(0, ...rows.map((row) => row.oldest))
  metrics.set('assay_job_oldest_waiting_seconds', {}, oldest)
}

export type JobMetrics = {
  /** Sets and counts what happened since the last call. */
  read(): Promise<void>
}

/** Jobs that ended before this call are not counted. */
export function createJobMetrics(
  database: DispatcherSql,
  metrics: DispatcherMetrics,
  monotonic: () => number = () => performance.now(),
): JobMetrics {
  const { db, pool } = database
  /** Time up to which finished jobs are counted, as PostgreSQL's text. */
  let counted: string | undefined
  const created = monotonic()
  let last: { readonly at: number; readonly done: Promise<void> } | undefined
  for (const state of JOB_STATES.filter(isFinished))
    metrics.add('assay_jobs_finished_total', { state }, 0)

  async function countFinished(): Promise<void> {
    const age = (monotonic() - created) / 1000
    const { rows: times } = await sql<{ until: string; start: string }>`
      select (now() - make_interval(secs => ${SETTLED_SECONDS}))::text as until,
        (now() - make_interval(secs => ${age}))::text as start`.execute(db)
    const [time] = times
    if (time === undefined) return
    const { until } = time
    const { rows } = await sql<Ended>`
        select state, width_bucket(seconds, ${JOB_SECONDS}::float8[]) as bucket, count(*) as count,
          avg(seconds) as seconds
        from (select state, extract(epoch from finished_at - created_at)::float8 as seconds from jobs
          where finished_at > ${counted ?? time.start}::timestamptz and finished_at <= ${until}::timestamptz) ended
        group by 1, 2`.execute(db)
    for (const { state, count, seconds } of rows) {
      metrics.add('assay_jobs_finished_total', { state }, Number(count))
      metrics.observe('assay_job_seconds', { state }, seconds, Number(count))
    }
    counted = until
  }

  async function readAll(): Promise<void> {
    metrics.set('assay_database_connections', { state: 'used' }, pool.totalCount - pool.idleCount)
    metrics.set('assay_database_connections', { state: 'idle' }, pool.idleCount)
    metrics.set('assay_database_waiting', {}, pool.waitingCount)
    try {
      await readWaiting(database, metrics)
      await countFinished()
      metrics.set('assay_database_up', {}, 1)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      metrics.set('assay_database_up', {}, 0)
    }
  }

  return {
    read() {
      const now = monotonic()
      if (last === undefined || now - last.at >= FRESH_MS) last = { at: now, done: readAll() }
      return last.done
    },
  }
}
