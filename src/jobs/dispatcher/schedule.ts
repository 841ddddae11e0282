/**
 * The statements that hand jobs to operators and take them back from silent operators (D29). Several replicas may run
 * them concurrently: rows that another replica has locked are skipped, and all times are the database's.
 */
import { sql } from 'kysely'
import type { ReviewPosition, ReviewTag } from '../../proof/vrfSelection.ts'
import type { VectorClock } from '../../proof/job/job.ts'
import { assignmentMay, jobIs, jobMay } from './lifecycle/predicates.ts'
import { settleJobs } from './settle.ts'
import type { Protocol } from '../protocol.ts'
import type { DispatcherSql } from './tables.ts'

/** A session that is not renewed for this long has ended. */
export const SESSION_SECONDS = 20
const BATCH = 200
/** Number of hand-outs that are claimed at once: their jobs are in memory together. */
export const MAX_HANDOUTS = 64

/**
 * Creates, for every job that is due, one waiting assignment per connected operator that can do it. If its project
 * requires that k of n operators agree, n of them are chosen, and the job waits until at least k are connected. Jobs
 * that no operator serves are not read, however many wait; with `bindsBlocks`, neither are those that have no block for
 * their draws yet (D32). Resolves with the number of planned jobs.
 */
export async function planJobs({ db }: DispatcherSql, bindsBlocks = false): Promise<number> {
  const { numAffectedRows } = await sql`
    with served as (
      select type, model, count(*) as operators
      from sessions s cross join unnest(s.workers) type cross join unnest(s.models) model
      where s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'
      group by type, model
    ),
    due as (
      select next.* from served cross join lateral (
        select jobs.id, jobs.type, jobs.model, jobs.round, p.agree_n as operators
        from jobs join projects p on p.id = jobs.project
        where not planned and ${jobIs('unfinished')}
          and jobs.type = served.type and jobs.model = served.model
          and run_at <= now() and deadline_at > now()
          and (draw_block_hash is not null or not ${bindsBlocks})
          and served.operators >= coalesce(p.agree_k, 1)
        order by priority desc, run_at limit ${BATCH} for update of jobs skip locked
      ) next
    ),
    assigned as (
      insert into assignments (job_id, operator, round)
      select due.id, chosen.operator, due.round from due cross join lateral (
        select s.operator from sessions s
        where s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'
          and due.type = any(s.workers) and due.model = any(s.models)
        order by random() limit due.operators
      ) chosen
      on conflict do nothing
    )
    update jobs set planned = true from due where jobs.id = due.id`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

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
 * cannot do the job any more, which are no attempts (D102).
 */
export async function reapAssignments(
  { db }: DispatcherSql,
  settings: { readonly leaseMs: number; readonly maxAttempts: number },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const due = sql`(a.state = 'open' and a.lease_until < now()) or (a.state = 'waiting'
      and a.created_at < now() - ${settings.leaseMs} * interval '1 millisecond'
      and not exists (select from sessions s join jobs j on j.id = a.job_id
        where s.operator = a.operator and j.type = any(s.workers) and j.model = any(s.models)
          and s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'))`
    const { rows } = await sql<{ id: string }>`
      select id from jobs where id in (select a.job_id from assignments a where ${due})
      order by id limit ${BATCH} for update skip locked`.execute(transaction)
    if (rows.length === 0) return
    const jobs = rows.map(({ id }) => id)
    await sql`
      with lost as (
        update assignments a set state = 'lost',
          reason = case a.state when 'open' then format('operator %s stopped responding', a.operator)
            else format('operator %s is not available any more', a.operator) end
        where a.job_id = any(${jobs}::text[]) and (${due})
        returning job_id, lease
      ),
      counted as (select job_id, bool_or(lease is not null) as was_begun from lost group by job_id)
      update jobs set failures = failures + was_begun::integer,
        postponed = postponed + (not was_begun)::integer
      from counted where jobs.id = counted.job_id`.execute(transaction)
    await settleJobs(transaction, jobs, settings.maxAttempts)
  })
}

/** Ends jobs whose deadline has passed (D41): completed if there is a result, else expired with the reason. */
export async function expireJobs({ db }: DispatcherSql, bindsBlocks = false): Promise<void> {
  await sql`
    with ended as (
      update jobs set finished_at = now(), planned = true,
        state = case when exists (select from results r where r.job_id = jobs.id)
          then 'completed' else 'expired' end,
        reason = case
          when exists (select from results r where r.job_id = jobs.id) then ''
          when ${bindsBlocks} and draw_block_hash is null
            then 'the chain had no new block for the draw'
          when dispatched_at is not null then 'no operator finished the job before its deadline'
            || coalesce((select '; the last one: ' || a.reason from assignments a
              where a.job_id = jobs.id and a.reason <> '' order by a.round desc, a.lease_until desc nulls last
              limit 1), '')
          else format('no connected %s operator serves the model %s', type, model) end
      where ${jobMay('deadline')} and deadline_at <= now()
      returning id
    )
    update assignments set state = 'lost', reason = 'the deadline of the job passed'
    where job_id in (select id from ended) and ${assignmentMay('deadline')}`.execute(db)
}
