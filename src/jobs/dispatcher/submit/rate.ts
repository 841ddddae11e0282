/**
 * Rate limits by token bucket (capacity: one minute's jobs; refilled evenly). All replicas take from the same buckets.
 */
import { sql } from 'kysely'
import type { DispatcherSql } from '../tables.ts'

/** A request to a bucket: its limit per minute, and the number of jobs. */
export type Demand = { readonly scope: string; readonly perMinute: number; readonly jobs: number }

/** Number of allowed jobs by scope. Each scope may occur only once. */
export async function takeFromBuckets(
  { db }: DispatcherSql,
  demands: readonly Demand[],
): Promise<ReadonlyMap<string, number>> {
  if (demands.length === 0) return new Map()
  // Always in the same order, so that no two statements deadlock.
  const ordered = demands.toSorted((a, b) => (a.scope < b.scope ? -1 : 1))
  const perMinute = sql`(excluded.tokens + excluded.granted)`
  const filled = sql`least(${perMinute}, b.tokens
    + greatest(0, extract(epoch from excluded.filled_at - b.filled_at)) * ${perMinute} / 60)`
  const granted = sql`least(excluded.granted, floor(${filled}))::integer`
  const { rows } = await sql<{ scope: string; granted: number }>`
    insert into rate_buckets as b (scope, tokens, granted, filled_at)
    select scope, per_minute - least(jobs, per_minute), least(jobs, per_minute), clock_timestamp()
    from unnest(
      ${ordered.map(({ scope }) => scope)}::text[],
      ${ordered.map((demand) => demand.perMinute)}::integer[],
      ${ordered.map(({ jobs }) => jobs)}::integer[]
    ) as asked(scope, per_minute, jobs)
    on conflict (scope) do update set
      granted = ${granted}, tokens = ${filled} - ${granted}, filled_at = excluded.filled_at
    returning scope, granted`.execute(db)
  return new Map(rows.map((row) => [row.scope, row.granted]))
}
