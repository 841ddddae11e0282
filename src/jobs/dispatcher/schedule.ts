/**
 * The statements that move jobs from submission to operators and away from operators that went silent (D29). Several
 * replicas may run them at once: rows that another one works on are skipped, all times are the database's.
 */
import { sql } from 'kysely'
import type { ReviewPosition, ReviewTag } from '../../proof/vrfSelection.ts'
import type { VectorClock } from '../../proof/job/job.ts'
import { settleJobs } from './settle.ts'
import type { Protocol } from '../protocol.ts'
import type { DispatcherSql } from './tables.ts'

/** A session not renewed for this long is over. */
export const SESSION_SECONDS = 20
const BATCH = 200

/**
 * Gives every job that is due one waiting assignment per connected operator that can do it, or for some of them where its
 * project wants k of n to agree: it waits until at least k are there.
 * Jobs that nobody serves are not looked at, however many wait; with `bindsBlocks`, nor those without a block to draw with (D32). Resolves with the number of jobs that were planned.
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
        where not planned and state in ('created', 'dispatched')
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

/** A job in an operator's hands. */
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
  /** The block that the round's draws bind; null where no chain is configured. */
  readonly draw_block: bigint | null
  readonly draw_block_hash: string | null
}

/** Leases waiting assignments to the operators of these sessions that have free slots: by priority, then the oldest first. */
export async function claimAssignments(
  { db }: DispatcherSql,
  sessions: readonly string[],
  leaseMs: number,
): Promise<readonly Handout[]> {
  const { rows } = await sql<Handout>`
    with free as (
      select s.operator, s.slots - (select count(*) from assignments a
        where a.operator = s.operator and a.state = 'open') as slots
      from sessions s where s.session = any(${sessions}::text[])
    ),
    due as (
      select next.* from free cross join lateral (
        select a.job_id, a.operator, a.round
        from assignments a join jobs j on j.id = a.job_id and j.round = a.round
        where a.operator = free.operator and a.state = 'waiting'
          and j.state in ('created', 'dispatched') and j.deadline_at > now()
        order by j.priority desc, j.created_at limit greatest(free.slots, 0)
        for update skip locked
      ) next
    ),
    handed as (
      update jobs set state = 'dispatched', dispatched_at = now()
      where id in (select job_id from due) and state = 'created'
    ),
    leased as (
      update assignments a set state = 'open', lease = gen_random_uuid(),
        lease_until = now() + ${leaseMs} * interval '1 millisecond', clock = j.clock,
        protocol = s.protocol
      from due join jobs j on j.id = due.job_id join sessions s on s.operator = due.operator
      where a.job_id = due.job_id and a.operator = due.operator and a.round = due.round
      returning a.job_id, a.operator, a.lease, a.protocol, j.project, j.request, j.seed, j.tag, j.position, j.clock,
        j.draw_block, j.draw_block_hash
    )
    select * from leased`.execute(db)
  return rows
}

/** Prolongs leases that their operator still works on. */
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

/** Takes back what operators went silent about: leases that ran out, and assignments of operators that left. */
export async function reapAssignments(
  { db }: DispatcherSql,
  settings: { readonly leaseMs: number; readonly maxAttempts: number },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const due = sql`(a.state = 'open' and a.lease_until < now()) or (a.state = 'waiting'
      and a.created_at < now() - ${settings.leaseMs} * interval '1 millisecond'
      and not exists (select from sessions s where s.operator = a.operator
        and s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'))`
    const { rows } = await sql<{ id: string }>`
      select id from jobs where id in (select a.job_id from assignments a where ${due})
      order by id limit ${BATCH} for update skip locked`.execute(transaction)
    if (rows.length === 0) return
    const jobs = rows.map(({ id }) => id)
    await sql`
      with lost as (
        update assignments a set state = 'lost',
          reason = case a.state when 'open' then format('operator %s fell silent', a.operator)
            else format('operator %s left', a.operator) end
        where a.job_id = any(${jobs}::text[]) and (${due})
        returning job_id
      )
      update jobs set failures = failures + 1 where id in (select job_id from lost)`.execute(
      transaction,
    )
    await settleJobs(transaction, jobs, settings.maxAttempts)
  })
}

/** Ends jobs whose deadline has passed (D41): completed when there is a result, else expired with what was missing. */
export async function expireJobs({ db }: DispatcherSql, bindsBlocks = false): Promise<void> {
  await sql`
    with ended as (
      update jobs set finished_at = now(), planned = true,
        state = case when exists (select from results r where r.job_id = jobs.id)
          then 'completed' else 'expired' end,
        reason = case
          when exists (select from results r where r.job_id = jobs.id) then ''
          when ${bindsBlocks} and draw_block_hash is null
            then 'the chain had no new block to draw with'
          when dispatched_at is not null then 'no operator finished the job before its deadline'
          else format('no connected %s operator serves the model %s', type, model) end
      where state in ('created', 'dispatched') and deadline_at <= now()
      returning id
    )
    update assignments set state = 'lost', reason = 'the deadline of the job passed'
    where job_id in (select id from ended) and state in ('waiting', 'open')`.execute(db)
}
