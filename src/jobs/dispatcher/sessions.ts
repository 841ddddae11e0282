/** Connected operators, across all replicas. */
import { sql } from 'kysely'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { FULL_RANGE } from './admission.ts'
import type { RefusedModel } from './identities/judge.ts'
import { judgedOffer } from './identities/sessionModels.ts'
import type { Offer } from './offer.ts'
import type { DispatcherSql } from './tables.ts'

/** A session that is not renewed for this long has ended. */
export const SESSION_SECONDS = 20

/**
 * Records an operator that has proved its key, with its range (D33); its connection replaces an older one. While the
 * range is unknown, the last known one remains valid. Returns the range, and which of its models are refused.
 */
export async function openOperatorSession(
  { db }: DispatcherSql,
  replica: string,
  offer: Offer,
  given: SelectionRange | 'unknown',
): Promise<{ readonly range: SelectionRange; readonly refused: readonly RefusedModel[] }> {
  return db.transaction().execute(async (transaction) => {
    const { start, end, max } = given === 'unknown' ? FULL_RANGE : given
    const part = { range_start: BigInt(start), range_end: BigInt(end), range_max: BigInt(max) }
    const range = await transaction
      .insertInto('operators')
      .values({ address: offer.operator, ...part })
      .onConflict((conflict) =>
        conflict
          .column('address')
          .doUpdateSet({ last_seen: sql`now()`, ...(given === 'unknown' ? {} : part) }),
      )
      .returning(['range_start', 'range_end', 'range_max'])
      .executeTakeFirstOrThrow()
    const { values: served, refused } = await judgedOffer(transaction, offer.session, offer)
    const values = {
      session: offer.session,
      protocol: offer.protocol,
      replica,
      workers: [...offer.workers],
      ...served,
      slots: offer.slots,
    }
    await transaction
      .insertInto('sessions')
      .values({ operator: offer.operator, ...values })
      .onConflict((conflict) =>
        conflict
          .column('operator')
          .doUpdateSet({ ...values, seen_at: sql`now()`, changed_at: sql`now()` }),
      )
      .execute()
    return {
      range: {
        start: Number(range.range_start),
        end: Number(range.range_end),
        max: Number(range.range_max),
      },
      refused,
    }
  })
}

/**
 * Replaces what a connected operator can do (D102); nothing happens if a newer connection has replaced this one. Resolves with the
 * models that are refused.
 */
export async function changeOffer(
  { db }: DispatcherSql,
  session: string,
  offer: Pick<Offer, 'workers' | 'models' | 'identities'>,
): Promise<readonly RefusedModel[]> {
  return db.transaction().execute(async (transaction) => {
    const { values, refused } = await judgedOffer(transaction, session, offer)
    await transaction
      .updateTable('sessions')
      .set({ workers: [...offer.workers], ...values, changed_at: sql`now()` })
      .where('session', '=', session)
      .execute()
    return refused
  })
}

/** Deletes a connection, unless a newer one of the operator has replaced it. */
export async function closeOperatorSession({ db }: DispatcherSql, session: string): Promise<void> {
  await db.deleteFrom('sessions').where('session', '=', session).execute()
}

/**
 * Forgets operators without a connection that were last seen a day ago, have recorded nothing and have no hand-outs: whoever makes keys can log in
 * with any number of them (D75). Connections that no replica has renewed for a day go with them.
 */
export async function forgetOperators({ db }: DispatcherSql): Promise<void> {
  await sql`delete from sessions where seen_at < now() - interval '1 day'`.execute(db)
  await sql`
    delete from operators o where last_seen < now() - interval '1 day' and events = 0
      and not exists (select from sessions s where s.operator = o.address)
      and not exists (select from assignments a where a.operator = o.address)`.execute(db)
}

/** Marks this replica's connections as alive; returns those that are still the operators' newest. */
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
