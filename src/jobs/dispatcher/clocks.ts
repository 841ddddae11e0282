/**
 * The vector clocks of jobs (D73): a job's clock counts the dispatcher's events and those of the operators that answered it,
 * each as it counted itself. Nothing else that an operator sends is kept in it.
 */
import { sql, type RawBuilder } from 'kysely'
import type { VectorClock } from '../../proof/job/job.ts'
import { MAX_COUNT, MAX_PARTICIPANTS, mergeClocks } from '../../proof/job/vectorClock.ts'
import type { ClockCounts } from './clockFault.ts'
import { jobIs } from './lifecycle/predicates.ts'
import type { DispatcherSql } from './tables.ts'

const BATCH = 1000
const ADDRESS = /^0x[0-9a-f]{40}$/

/** The greatest counts that this dispatcher has handed out for these participants; those that it does not know are absent. */
export async function readCounts(
  { db }: DispatcherSql,
  dispatcher: string,
  participants: readonly string[],
): Promise<ClockCounts> {
  const addresses = participants.filter((id) => ADDRESS.test(id))
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<{ id: string; count: bigint }>`
    select address as id, events as count from operators
      where address = any(${addresses}::text[]) and events > 0
    union all
    select ${dispatcher}::text, last_value from dispatcher_clock
      where ${dispatcher}::text = any(${addresses}::text[])`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/**
 * Counts a recorded result in the clock of its job, as an event of the operator and one of the dispatcher: common table
 * expressions of the statement that records it. A job that so many operators have answered that its clock is full counts no
 * further ones, so that it can always be handed out.
 */
export function countEvent(
  dispatcher: string,
  event: {
    readonly operator: string
    readonly handout: { readonly job: string; readonly clock: VectorClock }
    /** The clock of the result. */
    readonly clock: VectorClock
  },
): readonly RawBuilder<unknown>[] {
  const { operator, handout } = event
  const own = event.clock[operator] ?? '0'
  const isFull =
    Object.keys(handout.clock).length >= MAX_PARTICIPANTS - 1 &&
    !Object.hasOwn(handout.clock, operator)
  const clock = isFull ? handout.clock : mergeClocks(handout.clock, { [operator]: own })
  return [
    sql`counted as (
      update operators set events = ${own}::bigint where address = ${operator} and events < ${own}::bigint
    )`,
    sql`clocked as (
      update jobs set clock = (${JSON.stringify(clock)}::jsonb
        || jsonb_build_object(${dispatcher}::text, nextval('dispatcher_clock')::text))::json
      where id = ${handout.job}
    )`,
  ]
}

/**
 * Mends the clocks of unfinished jobs into which former releases merged whatever operators sent: a participant that is
 * neither the dispatcher nor an operator, or a count that nobody can have reached. What remains are the dispatcher's count and
 * those that operators signed about themselves. Resolves with the number of jobs that were mended.
 */
export async function healUnfinishedClocks(
  { db }: DispatcherSql,
  dispatcher: string,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from jobs where ${jobIs('unfinished')}`.execute(db)
  return heal({ db }, dispatcher, rows)
}

/** The same for all jobs: those that are finished may be retried, or verified again. */
export async function healAllClocks({ db }: DispatcherSql, dispatcher: string): Promise<number> {
  let mended = 0
  for (let last = ''; ;) {
    const rows = await db
      .selectFrom('jobs')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    mended += await heal({ db }, dispatcher, rows)
    const end = rows.at(-1)
    if (end === undefined) return mended
    last = end.id
  }
}

async function heal(
  { db }: Pick<DispatcherSql, 'db'>,
  dispatcher: string,
  jobs: readonly { readonly id: string }[],
): Promise<number> {
  const last = sql`select last_value from dispatcher_clock`
  let mended = 0
  for (let at = 0; at < jobs.length; at += BATCH) {
    const ids = jobs.slice(at, at + BATCH).map(({ id }) => id)
    const { numAffectedRows } = await sql`
      with poisoned as (
        select j.id, j.clock from jobs j
        where j.id = any(${ids}::text[]) and exists (
          select from json_each_text(j.clock) entry
          where case when entry.key = ${dispatcher} then entry.value::numeric > (${last})
            else not exists (select from operators o
              where o.address = entry.key and entry.value::numeric <= o.events) end)
        for update of j
      ),
      sound as (
        select p.id,
          jsonb_build_object(${dispatcher}::text, least((p.clock->>${dispatcher})::numeric, (${last}))::text)
            || coalesce((
              select jsonb_object_agg(operator, count) from (
                select r.operator, max((r.clock->>r.operator)::numeric)::text as count from results r
                where r.job_id = p.id and (r.clock->>r.operator)::numeric <= ${String(MAX_COUNT)}::numeric
                group by r.operator limit ${MAX_PARTICIPANTS - 2}
              ) signed), '{}'::jsonb) as clock
        from poisoned p
      )
      update jobs set clock = sound.clock::json from sound where jobs.id = sound.id`.execute(db)
    mended += Number(numAffectedRows ?? 0n)
  }
  return mended
}
