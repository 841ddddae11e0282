/**
 * Results that are being delivered to the dispatcher: on disk from before they are sent until they are recorded (D29).
 */
import type { Sql } from '../../store/sql/open.ts'
import type { VectorClock } from '../../proof/job/job.ts'
import { result, type Result } from '../protocol.ts'
import type { OperatorTables } from './database.ts'

export type Outbox = {
  /** Keeps a result, and the operator's clock as of now. */
  put(message: Result, clock: VectorClock): Promise<void>
  /** The kept result of a lease. */
  find(lease: string): Promise<Result | undefined>
  /** All kept results, oldest first. */
  all(): Promise<readonly Result[]>
  /** Deletes a result; does nothing if it is already gone. */
  remove(lease: string): Promise<void>
  /** The clock that was kept last; empty before the first. */
  clock(): Promise<VectorClock>
}

const CLOCK = 'clock'

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
      return row && parse(row.message)
    },
    async all() {
      const rows = await db
        .selectFrom('operator_outbox')
        .select('message')
        .orderBy('created_at')
        .execute()
      return rows.map(({ message }) => parse(message))
    },
    async remove(lease) {
      await db.deleteFrom('operator_outbox').where('lease', '=', lease).execute()
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

function parse(message: string): Result {
  return result.parse(JSON.parse(message))
}
