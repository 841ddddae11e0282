/** Who is connected, as all replicas see it. */
import { sql } from 'kysely'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import type { Protocol } from '../protocol.ts'
import type { DispatcherSql } from './tables.ts'

/** What an operator offers when it connects. */
export type Offer = {
  readonly operator: string
  /** Random name of the connection. */
  readonly session: string
  /** Version of the protocol that it speaks. */
  readonly protocol: Protocol
  readonly workers: readonly string[]
  readonly models: readonly string[]
  readonly slots: number
}

/** The number line of draws, as in the older network's range contract; a local dispatcher gives every operator all of it. */
const FULL_RANGE: SelectionRange = { start: 0, end: 600_000, max: 600_000 }

/** Registers an operator that has proved its key (D33) and puts its connection in place of an older one. Returns its range. */
export async function openOperatorSession(
  { db }: DispatcherSql,
  replica: string,
  offer: Offer,
): Promise<SelectionRange> {
  return db.transaction().execute(async (transaction) => {
    const range = await transaction
      .insertInto('operators')
      .values({
        address: offer.operator,
        range_start: BigInt(FULL_RANGE.start),
        range_end: BigInt(FULL_RANGE.end),
        range_max: BigInt(FULL_RANGE.max),
      })
      .onConflict((conflict) => conflict.column('address').doUpdateSet({ last_seen: sql`now()` }))
      .returning(['range_start', 'range_end', 'range_max'])
      .executeTakeFirstOrThrow()
    const values = {
      session: offer.session,
      protocol: offer.protocol,
      replica,
      workers: [...offer.workers],
      models: [...offer.models],
      slots: offer.slots,
    }
    await transaction
      .insertInto('sessions')
      .values({ operator: offer.operator, ...values })
      .onConflict((conflict) =>
        conflict.column('operator').doUpdateSet({ ...values, seen_at: sql`now()` }),
      )
      .execute()
    return {
      start: Number(range.range_start),
      end: Number(range.range_end),
      max: Number(range.range_max),
    }
  })
}

/** Forgets a connection, unless a newer one of the operator has taken its place. */
export async function closeOperatorSession({ db }: DispatcherSql, session: string): Promise<void> {
  await db.deleteFrom('sessions').where('session', '=', session).execute()
}

/** Says that this replica's connections live; returns those that are still the operators' newest. */
export async function renewSessions(
  { db }: DispatcherSql,
  replica: string,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .updateTable('sessions')
    .set({ seen_at: sql`now()` })
    .where('replica', '=', replica)
    .returning('session')
    .execute()
  return new Set(rows.map(({ session }) => session))
}
