/**
 * Which jobs of a batch are allowed: the rate limits of their tokens and projects, and the daily quotas of their
 * projects.
 */
import { sql, type Transaction } from 'kysely'
import { ApiError } from '../apiError.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import type { NewJob } from './newJob.ts'
import { takeFromBuckets, type Demand } from './rate.ts'

/** Refusals by job; all other jobs are allowed. */
export type Refusals = ReadonlyMap<NewJob, ApiError>

/** Takes a token for every job from the buckets of its API token and its project. */
export async function limitRates(store: DispatcherSql, jobs: readonly NewJob[]): Promise<Refusals> {
  const scopes = jobs.map(scopesOf)
  const demands = new Map<string, Demand>()
  for (const { scope, perMinute } of scopes.flat())
    demands.set(scope, { scope, perMinute, jobs: (demands.get(scope)?.jobs ?? 0) + 1 })
  const left = new Map(await takeFromBuckets(store, [...demands.values()]))
  const refusals = new Map<NewJob, ApiError>()
  for (const [at, job] of jobs.entries())
    for (const { scope, perMinute } of scopes[at] ?? []) {
      const rest = left.get(scope) ?? 0
      left.set(scope, rest - 1)
      if (rest > 0) continue
      const whose = scope.slice(0, scope.indexOf(':'))
      const message = `the ${whose} may submit ${perMinute} jobs per minute`
      refusals.set(job, new ApiError(429, message, { retryAfter: Math.ceil(60 / perMinute) }))
    }
  return refusals
}

function scopesOf({ caller }: NewJob): { scope: string; perMinute: number }[] {
  const { jobsPerMinute, tokenJobsPerMinute } = caller.limits
  return [
    { scope: `token:${caller.token}`, perMinute: tokenJobsPerMinute },
    { scope: `project:${caller.project}`, perMinute: jobsPerMinute },
  ].filter(({ perMinute }) => perMinute > 0)
}

/** Counts new jobs against the quotas of their projects, in the transaction that stores them. */
export async function countAgainstQuotas(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly NewJob[],
): Promise<Refusals> {
  const byProject = new Map<string, NewJob[]>()
  for (const job of jobs) {
    const { project, limits } = job.caller
    if (limits.jobsPerDay > 0) byProject.set(project, [...(byProject.get(project) ?? []), job])
  }
  const refusals = new Map<NewJob, ApiError>()
  if (byProject.size === 0) return refusals
  const projects = [...byProject.keys()].sort()
  const quotas = projects.map((project) => byProject.get(project)?.[0]?.caller.limits.jobsPerDay)
  const counts = projects.map((project) => byProject.get(project)?.length)
  const { rows } = await sql<{ project: string; granted: bigint; wait: number }>`
    insert into project_days as d (project, day, jobs, granted)
    select project, (now() at time zone 'utc')::date, least(jobs, quota), least(jobs, quota)
    from unnest(${projects}::text[], ${quotas}::bigint[], ${counts}::bigint[])
      as asked(project, quota, jobs)
    on conflict (project, day) do update set
      jobs = d.jobs + least(excluded.jobs, greatest(0, ${quotaOf(projects, quotas)} - d.jobs)),
      granted = least(excluded.jobs, greatest(0, ${quotaOf(projects, quotas)} - d.jobs))
    returning project, granted, ceil(extract(epoch from
      date_trunc('day', now() at time zone 'utc') + interval '1 day' - now() at time zone 'utc'
    ))::integer as wait`.execute(transaction)
  for (const { project, granted, wait } of rows)
    for (const job of (byProject.get(project) ?? []).slice(Number(granted))) {
      const message = `the project may submit ${job.caller.limits.jobsPerDay} jobs per day (UTC)`
      refusals.set(job, new ApiError(429, message, { retryAfter: wait }))
    }
  return refusals
}

/** The quota of the row's project: a column of the request, which `excluded` does not contain. */
function quotaOf(projects: readonly string[], quotas: readonly (number | undefined)[]) {
  return sql`(${quotas}::bigint[])[array_position(${projects}::text[], d.project)]`
}
