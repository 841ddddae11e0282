/**
 * Limits of tokens per minute (D141). How many a job takes is known when it is answered: it is taken from the bucket of its project
 * then, which may leave less than nothing in it, and a project whose bucket is empty submits no more. All replicas share the buckets.
 */
import { sql } from 'kysely'
import { ApiError } from '../apiError.ts'
import type { DispatcherSql } from '../tables.ts'
import type { NewJob } from './newJob.ts'

const scopeOf = (project: string): string => `tokens:${project}`

/** Refusals by job, for projects that have used up their tokens; all other jobs are allowed. */
export async function limitTokens(
  { db }: DispatcherSql,
  jobs: readonly NewJob[],
): Promise<ReadonlyMap<NewJob, ApiError>> {
  const limits = new Map(
    jobs.flatMap(({ caller: { project, limits: own } }) =>
      own.tokensPerMinute > 0 ? [[project, own.tokensPerMinute] as const] : [],
    ),
  )
  if (limits.size === 0) return new Map()
  // Always in the same order, so that no two statements deadlock.
  const ordered = [...limits].sort(([a], [b]) => (a < b ? -1 : 1))
  const { rows } = await sql<{ scope: string; tokens: number }>`
    insert into rate_buckets as b (scope, tokens, granted, filled_at)
    select scope, per_minute, 0, clock_timestamp()
    from unnest(
      ${ordered.map(([project]) => scopeOf(project))}::text[],
      ${ordered.map(([, perMinute]) => perMinute)}::integer[]
    ) as asked(scope, per_minute)
    on conflict (scope) do update set filled_at = excluded.filled_at, tokens = least(
      excluded.tokens, b.tokens
        + greatest(0, extract(epoch from excluded.filled_at - b.filled_at)) * excluded.tokens / 60)
    returning scope, tokens`.execute(db)
  const left = new Map(rows.map(({ scope, tokens }) => [scope, tokens]))
  const refusals = new Map<NewJob, ApiError>()
  for (const job of jobs) {
    const perMinute = limits.get(job.caller.project)
    const tokens = left.get(scopeOf(job.caller.project))
    if (perMinute === undefined || tokens === undefined || tokens >= 1) continue
    const retryAfter = Math.ceil(((1 - tokens) * 60) / perMinute)
    const message = `the project may use ${perMinute} tokens per minute`
    refusals.set(job, new ApiError(429, message, { retryAfter }))
  }
  return refusals
}

/** Whether the project of a job `j` has a bucket. */
export const IS_METERED = sql<boolean>`exists (
  select from rate_buckets b where b.scope = ${sql.lit(scopeOf(''))} || j.project)`

/** Takes the tokens of a job from the bucket of its project, if it has one. */
export async function chargeTokens(
  { db }: DispatcherSql,
  { jobId, tokens }: { readonly jobId: string; readonly tokens: number },
): Promise<void> {
  await sql`
    update rate_buckets b set tokens = b.tokens - ${tokens}
    from jobs j where j.id = ${jobId} and b.scope = ${scopeOf('')} || j.project`.execute(db)
}
