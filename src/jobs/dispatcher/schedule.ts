/**
 * The statements that hand jobs to operators and take them back from silent operators (D29). Several replicas may run
 * them concurrently: rows that another replica has locked are skipped, and all times are the database's.
 */
import { sql } from 'kysely'
import type { ReviewPosition, ReviewTag } from '../../proof/vrfSelection.ts'
import type { VectorClock } from '../../proof/job/job.ts'
import { assignmentMay, jobIs, jobMay } from './lifecycle/predicates.ts'
import { SESSION_SECONDS } from './sessions.ts'
import { sameAnswer, settleJobs } from './settle.ts'
import type { Protocol } from '../protocol.ts'
import type { DispatcherSql } from './tables.ts'

const BATCH = 200
/** Number of operators that are looked at, and of hand-outs that are claimed, at once: their jobs are in memory together. */
export const MAX_HANDOUTS = 64

/** A job that is assigned to an operator. */
export type Handout = {
  readonly job_id: string
  readonly operator: string
  readonly lease: string
  readonly project: string
  readonly request: Buffer
  readonly seed: string
  readonly tag: ReviewTag
  readonly position: ReviewPosition
  readonly clock: VectorClock
  readonly protocol: Protocol
  /** The block that the round's draws are bound to; null where no chain is configured. */
  readonly draw_block: bigint | null
  readonly draw_block_hash: string | null
  /** When the job was submitted, in seconds since 1970. */
  readonly created: bigint
}

const NEXT_WAITING = sql`select a.operator from assignments a where ${assignmentMay('hand-out', 'a.state')}`
/** The operators that wait for hand-outs: reads one row of each, however many wait for it. */
const WAITING = sql`waiting as (
    (${NEXT_WAITING} order by a.operator limit 1)
    union all
    select (${NEXT_WAITING} and a.operator > waiting.operator order by a.operator limit 1)
    from waiting where waiting.operator is not null
  )`

/** Operators that wait for hand-outs, at whichever replica they are. */
export async function listWaiting({ db }: DispatcherSql): Promise<readonly string[]> {
  const { rows } = await sql<{ operator: string }>`
    with recursive ${WAITING} select operator from waiting where operator is not null`.execute(db)
  return rows.map(({ operator }) => operator)
}

/**
 * Leases waiting assignments to the operators of these sessions that have free slots, by priority, then oldest first: at
 * most MAX_HANDOUTS of them.
 */
export async function claimAssignments(
  { db }: DispatcherSql,
  sessions: readonly string[],
  leaseMs: number,
): Promise<readonly Handout[]> {
  const { rows } = await sql<Handout>`
    with free as (
      select s.operator, s.workers, s.models, s.slots - (select count(*) from assignments a
        where a.operator = s.operator and a.state = 'open') as slots
      from sessions s where s.session = any(${sessions}::text[])
    ),
    due as (
      select next.* from free cross join lateral (
        select a.job_id, a.operator, a.round
        from assignments a join jobs j on j.id = a.job_id and j.round = a.round
        where a.operator = free.operator and ${assignmentMay('hand-out', 'a.state')}
          and j.type = any(free.workers) and j.model = any(free.models)
          and ${jobIs('unfinished', 'j.state')} and j.deadline_at > now()
        order by j.priority desc, j.created_at limit greatest(free.slots, 0)
        for update skip locked
      ) next limit ${MAX_HANDOUTS}
    ),
    handed as (
      update jobs set state = 'dispatched', dispatched_at = now()
      where id in (select job_id from due) and ${jobMay('hand-out')}
    ),
    leased as (
      update assignments a set state = 'open', lease = gen_random_uuid(),
        lease_until = now() + ${leaseMs} * interval '1 millisecond', clock = j.clock,
        protocol = s.protocol
      from due join jobs j on j.id = due.job_id join sessions s on s.operator = due.operator
      where a.job_id = due.job_id and a.operator = due.operator and a.round = due.round
      returning a.job_id, a.operator, a.lease, a.protocol, j.project, j.request, j.seed, j.tag, j.position, j.clock,
        j.draw_block, j.draw_block_hash, extract(epoch from j.created_at)::bigint as created
    )
    select * from leased`.execute(db)
  return rows
}

/** Extends the leases that an operator is still working on. */
export async function renewLeases(
  { db }: DispatcherSql,
  operator: string,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  await sql`
    update assignments set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where operator = ${operator} and state = 'open' and lease = any(${leases}::uuid[])`.execute(db)
}

/**
 * Takes back assignments from operators that went silent (their leases expired), and from those that left before the hand-out or
 * cannot do the job any more, which are no attempts (D102). Reads what is due, by indexes, and not the jobs that are not (D105).
 */
export async function reapAssignments(
  { db }: DispatcherSql,
  settings: { readonly leaseMs: number; readonly maxAttempts: number },
): Promise<void> {
  const { leaseMs, maxAttempts } = settings
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      with recursive ${WAITING},
      due as (
        (select job_id from assignments a where ${EXPIRED} order by lease_until limit ${BATCH})
        union all
        (select a.job_id from waiting w join assignments a on a.operator = w.operator
          where ${LEFT} and ${isOlder(leaseMs)} limit ${BATCH})
        union all
        (select a.job_id from sessions s join assignments a on a.operator = s.operator
          join jobs j on j.id = a.job_id
          where s.changed_at > now() - ${NEWS_SECONDS} * interval '1 second'
            and a.state = 'waiting' and not (${IS_ABLE}) limit ${BATCH})
      )
      select id from jobs where id in (select job_id from due)
      order by id limit ${BATCH} for update skip locked`.execute(transaction)
    if (rows.length === 0) return
    const jobs = rows.map(({ id }) => id)
    await sql`
      with lost as (
        update assignments a set state = 'lost',
          reason = case a.state when 'open' then format('operator %s stopped responding', a.operator)
            else format('operator %s is not available any more', a.operator) end
        where a.job_id = any(${jobs}::text[]) and (${EXPIRED} or (${LEFT} and ${isOlder(leaseMs)})
          or (a.state = 'waiting' and exists (select from sessions s join jobs j on j.id = a.job_id
            where s.operator = a.operator and not (${IS_ABLE}))))
        returning job_id, lease
      ),
      counted as (select job_id, bool_or(lease is not null) as was_begun from lost group by job_id)
      update jobs set failures = failures + was_begun::integer,
        postponed = postponed + (not was_begun)::integer
      from counted where jobs.id = counted.job_id`.execute(transaction)
    await settleJobs(transaction, jobs, maxAttempts)
  })
}

/** An operator that connects or changes its offer is looked at for this long, by whichever replica. */
const NEWS_SECONDS = 5
const EXPIRED = sql`a.state = 'open' and a.lease_until < now()`
const LEFT = sql`a.state = 'waiting' and not exists (select from sessions s where s.operator = a.operator
  and s.seen_at > now() - ${sql.lit(SESSION_SECONDS)} * interval '1 second')`
const IS_ABLE = sql`j.type = any(s.workers) and j.model = any(s.models)`

const isOlder = (milliseconds: number) =>
  sql`a.created_at < now() - ${milliseconds} * interval '1 millisecond'`

/**
 * Ends jobs whose deadline has passed (D41): completed if there is a result, or as many equal ones as its project requires (D106),
 * else expired with the reason.
 */
export async function expireJobs({ db }: DispatcherSql, bindsBlocks = false): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Locked first: a statement that waits for a lock does not see what the one before it has written to other tables.
    const { rows } = await sql<{ id: string }>`
      select id from jobs where ${jobMay('deadline')} and deadline_at <= now()
      order by deadline_at limit ${BATCH} for update skip locked`.execute(transaction)
    if (rows.length === 0) return
    const ids = rows.map(({ id }) => id)
    await sql`
      with answers as (
        select j.id, coalesce(j.agree_k, p.agree_k) as agree_k, coalesce((select max(same) from (
          select count(*) as same from results r where r.job_id = j.id
          group by r.round, ${sameAnswer}
        ) counted), 0) as equal
        from jobs j join projects p on p.id = j.project where j.id = any(${ids}::text[])
      )
      update jobs set finished_at = now(), planned = true,
        state = case when equal >= coalesce(answers.agree_k, 1) then 'completed' else 'expired' end,
        reason = case
          when equal >= coalesce(answers.agree_k, 1) then ''
          when equal > 0
            then format('%s of %s equal answers came before the deadline', equal, answers.agree_k)
          when ${bindsBlocks} and draw_block_hash is null
            then 'the chain had no new block for the draw'
          when dispatched_at is not null then 'no operator finished the job before its deadline'
            || coalesce((select '; the last one: ' || a.reason from assignments a
              where a.job_id = jobs.id and a.reason <> ''
              order by a.round desc, a.lease_until desc nulls last limit 1), '')
          else format('no connected %s operator serves the model %s', type, model) end
      from answers where jobs.id = answers.id`.execute(transaction)
    await sql`
      update assignments set state = 'lost', reason = 'the deadline of the job passed'
      where job_id = any(${ids}::text[]) and ${assignmentMay('deadline')}`.execute(transaction)
  })
}
