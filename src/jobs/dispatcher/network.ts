/** Who is connected, to any replica, and what they serve. */
import { sql } from 'kysely'
import { SESSION_SECONDS } from './sessions.ts'
import type { ModelEntry, OperatorEntry } from './schemas.ts'
import type { DispatcherSql } from './tables.ts'

const isLive = sql<boolean>`s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'`

/** Connected operators by address. */
export async function listOperators({ db }: DispatcherSql): Promise<OperatorEntry[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .innerJoin('operators as o', 'o.address', 's.operator')
    .select(['s.operator', 's.workers', 's.models', 's.slots'])
    .select(['o.range_start', 'o.range_end', 'o.range_max'])
    .select((row) =>
      row
        .selectFrom('assignments as a')
        .select(sql<bigint>`count(*)`.as('busy'))
        .whereRef('a.operator', '=', 's.operator')
        .where('a.state', '=', 'open')
        .as('busy'),
    )
    .where(isLive)
    .orderBy('s.operator')
    .execute()
  return rows.map(({ operator, workers, models, slots, busy, ...range }) => ({
    operator,
    workers,
    models,
    slots,
    busy: Number(busy ?? 0n),
    range: {
      start: Number(range.range_start),
      end: Number(range.range_end),
      max: Number(range.range_max),
    },
  }))
}

/** Models that connected operators serve, with the number of these operators and the sum of their slots. */
export async function listModels({ db }: DispatcherSql): Promise<ModelEntry[]> {
  const { rows } = await sql<{ model: string; type: string; operators: bigint; slots: bigint }>`
    select model, type, count(*) as operators, sum(s.slots)::bigint as slots
    from sessions s cross join unnest(s.models) model cross join unnest(s.workers) type
    where ${isLive} group by model, type order by model, type`.execute(db)
  return rows.map(({ model, type, operators, slots }) => ({
    model,
    job_type: type === 'tee' ? 'tee' : 'opml',
    operators: Number(operators),
    slots: Number(slots),
  }))
}
