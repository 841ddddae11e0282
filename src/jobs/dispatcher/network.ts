/** Who is connected, to any replica, and what they serve. */
import { sql } from 'kysely'
import { isModelName } from '../../base/modelName.ts'
import { SESSION_SECONDS } from './sessions.ts'
import type { OperatorEntry } from './schemas.ts'
import type { DispatcherSql } from './tables.ts'

const isLive = sql<boolean>`s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'`

/** Connected operators by address. */
export async function listOperators({ db }: DispatcherSql): Promise<OperatorEntry[]> {
  const rows = await db
    .selectFrom('sessions as s')
    .innerJoin('operators as o', 'o.address', 's.operator')
    .select(['s.operator', 's.workers', 's.models', 's.slots', 's.refused', 'o.other_files'])
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
  return rows.map(({ operator, workers, models, slots, busy, refused, ...range }) => ({
    operator,
    workers,
    models: models.filter(isModelName),
    refused: [...refused],
    other_files: Number(range.other_files),
    slots,
    busy: Number(busy ?? 0n),
    range: {
      start: Number(range.range_start),
      end: Number(range.range_end),
      max: Number(range.range_max),
    },
  }))
}
