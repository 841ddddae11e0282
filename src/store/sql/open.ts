/** A pool of PostgreSQL connections and a typed query builder over it (D38). */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'

/** An open database; `Tables` are kysely's table types. */
export type Sql<Tables> = {
  readonly db: Kysely<Tables>
  readonly pool: pg.Pool
  close(): Promise<void>
}

export type SqlOptions = {
  readonly log: Log
  /** Maximum number of connections. */
  readonly connections?: number
  /** Timeout of one statement, in milliseconds. */
  readonly statementTimeout?: number
}

/**
 * The driver's parsers, except that int8 becomes a bigint: as a string it would sort wrongly, as a number it would be
 * rounded.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 && format !== 'binary')
      return (value: string) => BigInt(value)
    return pg.types.getTypeParser(oid, format)
  },
}

/** Opens a pool on an existing database. Connections are opened on demand. */
export function openSql<Tables>(url: string, options: SqlOptions): Sql<Tables> {
  const { log, connections = 8, statementTimeout = 15_000 } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 5_000,
    lock_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
  })
  // Idle connections break when the server restarts; the pool replaces them.
  pool.on('error', (error) => log.warn({ err: messageOf(error) }, 'lost a database connection'))
  // One in use that breaks between two statements fails the next one; unhandled, the event itself would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}
