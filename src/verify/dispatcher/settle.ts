/** What becomes of a job once all hand-outs of a round are over. */
import { randomBytes } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { DispatcherTables } from './tables.ts'

/**
 * Ends the jobs of which no hand-out is waiting or open any more, in a transaction that holds their rows locked:
 *
 * - with a result: completed;
 * - nobody was drawn, or hand-outs were lost: another round with a new seed (D31), later and later; failed after too many losses;
 * - every operator refused for good: failed, with the last reason.
 */
export async function settleJobs(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly string[],
  maxAttempts: number,
): Promise<void> {
  if (jobs.length === 0) return
  const seeds = jobs.map(() => randomBytes(32).toString('hex'))
  await sql`
    with input as (
      select * from unnest(${jobs}::text[], ${seeds}::text[]) as input(id, seed)
    ),
    rounds as (
      select j.id, input.seed, j.failures,
        exists (select from results r where r.job_id = j.id) as answered,
        bool_or(a.state in ('unselected', 'lost')) as again,
        bool_or(a.state = 'lost') as lost,
        coalesce((array_agg(a.reason order by a.lease_until desc nulls last)
          filter (where a.reason <> ''))[1], '') as reason
      from input
        join jobs j on j.id = input.id
        join assignments a on a.job_id = j.id and a.round = j.round
      where j.planned and j.state in ('created', 'dispatched')
      group by j.id, input.seed
      having not bool_or(a.state in ('waiting', 'open'))
    ),
    verdicts as (
      select *, case
        when answered then 'completed'
        when not again then 'failed'
        when lost and failures >= ${maxAttempts} then 'failed'
        else 'again' end as verdict
      from rounds
    )
    update jobs set
      state = case when v.verdict = 'again' then jobs.state else v.verdict end,
      reason = case
        when v.verdict <> 'failed' then ''
        when v.again then format('%s hand-outs brought no result; the last: %s', v.failures, v.reason)
        else v.reason end,
      finished_at = case when v.verdict = 'again' then null else now() end,
      planned = v.verdict <> 'again',
      round = jobs.round + (v.verdict = 'again')::integer,
      seed = case when v.verdict = 'again' then v.seed else jobs.seed end,
      run_at = case when v.verdict = 'again' and v.lost
        then now() + least(30, 0.25 * 2 ^ least(v.failures, 10)) * (0.5 + random()) * interval '1 second'
        else now() end
    from verdicts v where jobs.id = v.id`.execute(transaction)
}
