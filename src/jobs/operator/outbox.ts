/**
 * Results that are being delivered to the dispatcher: on disk from before they are sent until they are recorded (D29).
 */
import { sql } from 'kysely'
import type { Sql } from '../../store/sql/open.ts'
import type { VectorClock } from '../../proof/job/job.ts'
import { result, type Result } from '../protocol.ts'
import type { OperatorTables } from './database.ts'

export type Outbox = {
  /** Keeps a result, and the operator's clock as of now. */
  put(message: Result, clock: VectorClock): Promise<void>
  /** The kept result of a lease. */
  find(lease: string): Promise<Result | undefined>
  /** Leases of all kept results, oldest first. */
  leases(): Promise<readonly string[]>
  /** Deletes a result. Resolves with whether it was there. */
  remove(lease: string): Promise<boolean>
  /** Deletes results that no dispatcher takes any more: the longest deadline of a job has passed (D75). */
  removeOld(): Promise<void>
  /** The clock that was kept last; empty before the first. */
  clock(): Promise<VectorClock>
}

const CLOCK = 'clock'
/** A job expires after a week at the latest. */
const KEPT_DAYS = 8

/** The outbox in an open, migrated database. */
export function openOutbox({ db }: Sql<OperatorTables>): Outbox {
  return {
    async put(message, clock) {
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('operator_outbox')
          .values({
            lease: message.lease,
            job_id: message.jobId,
            message: JSON.stringify(message),
          })
          .onConflict((conflict) => conflict.column('lease').doNothing())
          .execute()
        const value = JSON.stringify(clock)
        await transaction
          .insertInto('operator_state')
          .values({ name: CLOCK, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute()
      })
    },
    async find(lease) {
      const row = await db
        .selectFrom('operator_outbox')
        .select('message')
        .where('lease', '=', lease)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const kept = parse(row.message)
      // Neither this release nor the dispatcher would take it: the job is done again.
      if (kept === undefined)
        await db.deleteFrom('operator_outbox').where('lease', '=', lease).execute()
      return kept
    },
    async leases() {
      const rows = await db
        .selectFrom('operator_outbox')
        .select('lease')
        .orderBy('created_at')
        .execute()
      return rows.map(({ lease }) => lease)
    },
    async remove(lease) {
      const { numDeletedRows } = await db
        .deleteFrom('operator_outbox')
        .where('lease', '=', lease)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
    async removeOld() {
      await sql`
        delete from operator_outbox where created_at < now() - ${KEPT_DAYS} * interval '1 day'`.execute(
        db,
      )
    },
    async clock() {
      const row = await db
        .selectFrom('operator_state')
        .select('value')
        .where('name', '=', CLOCK)
        .executeTakeFirst()
      return row === undefined ? {} : (JSON.parse(row.value) as VectorClock)
    },
  }
}

function parse(message: string): Result | undefined {
  return result.safeParse(JSON.parse(message)).data
}
