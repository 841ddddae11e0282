/** What happens to a job when all hand-outs of a round are over. */
import { randomBytes } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { assignmentIn, assignmentIs, assignmentMay, jobMay } from './lifecycle/predicates.ts'
import { INCONCLUSIVE_STATES } from './lifecycle/states.ts'
import type { DispatcherTables } from './tables.ts'

/** What answers have in common that agree, where a project requires it: file and text; with other projects, all agree. */
export const sameAnswer = sql`case when coalesce(j.agree_k, p.agree_k) is not null
  then concat(r.statement->>'outputHash', r.statement->>'modelHash') end`

/**
 * Ends jobs without pending assignments or gives them another round, in a transaction that has locked their rows:
 *
 * - with a result of this verification: completed. If the project requires that k of n agree (`projects.agree_k`): with
 *   k answers
 *   from one model file (D144) that have the same hash, immediately; if they differ, another round, and failed after too many rounds;
 * - no operator was selected, or hand-outs were lost, and there are operators that the round was not for: they are next (D104);
 * - the same without such operators: another round with a new seed (D31), after a wait that grows with
 *   every loss; failed after too many losses, where hand-outs that no operator could begin do not count (D102);
 * - every operator refused permanently: failed, with the last reason.
 *
 * Resolves with whether there are jobs to plan again.
 */
export async function settleJobs(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly string[],
  maxAttempts: number,
): Promise<boolean> {
  if (jobs.length === 0) return false
  const seeds = jobs.map(() => randomBytes(32).toString('hex'))
  const { rows } = await sql<{ planned: boolean }>`
    with input as (
      select * from unnest(${jobs}::text[], ${seeds}::text[]) as input(id, seed)
    ),
    rounds as (
      select j.id, input.seed, j.failures, j.postponed, j.spare,
        exists (select from results r where r.job_id = j.id) as has_results,
        coalesce(j.agree_k, p.agree_k) is not null and (select count(*) from results r
          where r.job_id = j.id and r.round = j.round) >= coalesce(j.agree_k, p.agree_k) as disagreed,
        coalesce((select max(same) from (
          select count(*) as same from results r
          where r.job_id = j.id and r.round >= j.required_round
          group by r.round, ${sameAnswer}
        ) answers), 0) >= coalesce(j.agree_k, p.agree_k, 1) as answered,
        coalesce(j.agree_k, p.agree_k) is not null as is_counted,
        (select count(distinct r.statement->>'modelHash') from results r
          where r.job_id = j.id and r.round = j.round) as files,
        bool_or(${assignmentIs('pending', 'a.state')}) as is_going_on,
        bool_or(${assignmentIn(INCONCLUSIVE_STATES, 'a.state')}) as again,
        bool_or(a.state = 'lost') as lost,
        coalesce((array_agg(a.reason order by a.lease_until desc nulls last)
          filter (where a.reason <> ''))[1], '') as reason
      from input
        join jobs j on j.id = input.id
        join projects p on p.id = j.project
        join assignments a on a.job_id = j.id and a.round = j.round
      where j.planned and ${jobMay('settle', 'j.state')}
      group by j.id, p.id, input.seed
    ),
    verdicts as (
      select *, case
        when answered then 'completed'
        when disagreed and failures + 1 < ${maxAttempts} then 'again'
        when again and not (lost and failures >= ${maxAttempts}) and not disagreed
          then case when spare then 'next' else 'again' end
        when has_results and not is_counted then 'completed'
        else 'failed' end as verdict
      from rounds where not is_going_on or (answered and is_counted)
    ),
    closed as (
      update assignments set state = 'lost', reason = 'enough operators have agreed'
      where job_id in (select id from verdicts where is_going_on) and ${assignmentMay('settle')}
    )
    update jobs set
      state = case when v.verdict in ('again', 'next') then jobs.state else v.verdict end,
      reason = case
        when v.verdict <> 'failed' then ''
        when v.disagreed then 'the operators gave different answers'
          || case when v.files > 1 then format(' from %s different model files: pin one', v.files) else '' end
        when v.again then format('%s hand-outs without a result; the last one: %s', v.failures, v.reason)
        else v.reason end,
      finished_at = case when v.verdict in ('again', 'next') then null else now() end,
      failures = jobs.failures + (v.verdict = 'again' and v.disagreed)::integer,
      planned = v.verdict not in ('again', 'next'),
      round = jobs.round + (v.verdict = 'again')::integer,
      seed = case when v.verdict = 'again' then v.seed else jobs.seed end,
      run_at = case when v.verdict = 'again' and v.lost
        then now() + least(30, 0.125 * 2 ^ least(v.failures + v.postponed, 10)) * (0.5 + random()) * interval '1 second'
        else now() end
    from verdicts v where jobs.id = v.id returning jobs.planned`.execute(transaction)
  return rows.some(({ planned }) => !planned)
}
