/** The operator's own database: its clock, and results that the dispatcher has not recorded yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type ColumnType } from 'kysely'
import { backOff } from '../../base/backOff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { ensureDatabase, isUnavailable, refusalOf } from '../../store/sql/database.ts'
import { migrate, type Migrations } from '../../store/sql/migrate.ts'
import { openSql, type Sql } from '../../store/sql/open.ts'

/** `message` and `clock` are JSON in text columns: PostgreSQL's json types refuse U+0000, which results may contain. */
export type OperatorTables = {
  operator_outbox: {
    lease: string
    job_id: string
    message: string
    created_at: ColumnType<Date, never, never>
  }
  operator_state: { name: string; value: string }
}

const MIGRATIONS: Migrations = {
  '0001-outbox': {
    async up(db) {
      await db.schema
        .createTable('operator_outbox')
        .addColumn('lease', 'uuid', (column) => column.primaryKey())
        .addColumn('job_id', 'text', (column) => column.notNull())
        .addColumn('message', 'text', (column) => column.notNull())
        .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
        .execute()
      await db.schema
        .createTable('operator_state')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
    },
  },
}

/** Creates the database and its tables if missing (-i, D33). Never drops anything. */
export async function initOperatorDatabase(url: string, log: Log): Promise<void> {
  await ensureDatabase(url)
  const database = openSql<OperatorTables>(url, { log, connections: 1, statementTimeout: 0 })
  try {
    await migrate(database.db, MIGRATIONS)
  } catch (error) {
    throw refusalOf(url, error) ?? error
  } finally {
    await database.close()
  }
}

/**
 * Opens the database, waiting while it is unreachable. Rejects on errors that waiting does not fix, and when aborted.
 */
export async function openOperatorDatabase(
  url: string,
  log: Log,
  signal: AbortSignal,
): Promise<Sql<OperatorTables>> {
  await whileUnavailable(() => initOperatorDatabase(url, log), log, signal)
  return openSql<OperatorTables>(url, { log, connections: 4 })
}

/** Retries a task while the database is unreachable, with a log line for each attempt. */
export async function whileUnavailable<T>(
  task: () => Promise<T>,
  log: Log,
  signal: AbortSignal,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await task()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const milliseconds = backOff(attempt)
      log.error(
        { reason: messageOf(error), retryInMs: milliseconds },
        'the database of this operator (pg_db_url) does not respond',
      )
      await sleep(milliseconds, undefined, { signal })
    }
  }
}
