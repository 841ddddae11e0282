/**
 * Review of users (D31): after a tagged job, the user's last ten jobs are verified again (position `before`), and the
 * next ten are also drawn with the tag's wider range (`after`). Users of different projects are different users.
 */
import { randomBytes } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { ReviewPosition, ReviewTag } from '../../../proof/vrfSelection.ts'
import type { NewJob } from '../submit/newJob.ts'
import { jobMay } from '../lifecycle/predicates.ts'
import type { DispatcherTables } from '../tables.ts'

const JOBS_BEFORE = 10
const JOBS_AFTER = 10

/** How a job is drawn. */
export type Review = { readonly tag: ReviewTag; readonly position: ReviewPosition }

type Watch = { tag: ReviewTag; remaining: number }

const userOf = ({ caller, user }: NewJob): string => `${caller.project}\n${user.toString('hex')}`

/** Determines how new jobs are drawn, and updates the counts, in the transaction that stores them. */
export async function reviewJobs(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly NewJob[],
): Promise<ReadonlyMap<NewJob, Review>> {
  const users = new Map(jobs.map((job) => [userOf(job), job]))
  const watches = await readWatches(transaction, [...users.values()])
  const changed = new Set<string>()
  const reviews = new Map<NewJob, Review>()
  for (const job of jobs) {
    const user = userOf(job)
    if (job.tag !== '') {
      watches.set(user, { tag: job.tag, remaining: JOBS_AFTER })
      changed.add(user)
      reviews.set(job, { tag: job.tag, position: 'after' })
      continue
    }
    const watch = watches.get(user)
    if (watch === undefined || watch.remaining === 0) {
      reviews.set(job, { tag: '', position: '' })
      continue
    }
    watch.remaining--
    changed.add(user)
    reviews.set(job, { tag: watch.tag, position: 'after' })
  }
  for (const user of [...changed].sort()) {
    const job = users.get(user)
    const watch = watches.get(user)
    if (job !== undefined && watch !== undefined) await writeWatch(transaction, job, watch)
  }
  for (const job of jobs) if (job.tag !== '') await verifyAgain(transaction, job)
  return reviews
}

async function readWatches(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly NewJob[],
): Promise<Map<string, Watch>> {
  const { rows } = await sql<{ project: string; user_id: Buffer } & Watch>`
    select project, user_id, tag, remaining from watched_users
    where (project, user_id) in (select * from unnest(
      ${jobs.map(({ caller }) => caller.project)}::text[], ${jobs.map(({ user }) => user)}::bytea[]))
    order by project, user_id for update`.execute(transaction)
  return new Map(
    rows.map(({ project, user_id, tag, remaining }) => [
      `${project}\n${user_id.toString('hex')}`,
      { tag, remaining },
    ]),
  )
}

async function writeWatch(
  transaction: Transaction<DispatcherTables>,
  { caller, user }: NewJob,
  { tag, remaining }: Watch,
): Promise<void> {
  await sql`
    insert into watched_users (project, user_id, tag, remaining)
    values (${caller.project}, ${user}, ${tag}, ${remaining})
    on conflict (project, user_id) do update
      set tag = excluded.tag, remaining = excluded.remaining`.execute(transaction)
}

/**
 * Starts another round of the completed ones among the user's last jobs; those that are not handed out yet are only
 * tagged. Jobs that operators are working on stay unchanged: a draw is about what the operator was sent.
 */
async function verifyAgain(
  transaction: Transaction<DispatcherTables>,
  { caller, user, tag, deadlineMs }: NewJob,
): Promise<void> {
  const seeds = Array.from({ length: JOBS_BEFORE }, () => randomBytes(32).toString('hex'))
  await sql`
    with last as (
      select id from jobs where project = ${caller.project} and user_id = ${user}
      order by created_at desc, id limit ${JOBS_BEFORE}
    ),
    free as (
      select id, ${jobMay('review')} as again from jobs
      where id in (select id from last) and (${jobMay('review')} or state = 'created')
      for update skip locked
    ),
    numbered as (select *, row_number() over () as at from free)
    update jobs set tag = ${tag}, position = 'before',
      state = case when again then 'dispatched' else state end,
      planned = planned and not again,
      round = round + again::integer,
      required_round = case when again then round + 1 else required_round end,
      seed = case when again then (${seeds}::text[])[at] else seed end,
      failures = case when again then 0 else failures end,
      run_at = case when again then now() else run_at end,
      finished_at = case when again then null else finished_at end,
      deadline_at = case when again
        then now() + ${deadlineMs} * interval '1 millisecond' else deadline_at end
    from numbered where jobs.id = numbered.id`.execute(transaction)
}
