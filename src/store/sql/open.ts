/** A pool of PostgreSQL connections and a typed query builder over it (D38). */
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { codeOfSql, isUnavailable } from './database.ts'
import { openHosts, READ_ONLY, requireWrites, type Hosts } from './hosts.ts'

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
  /** Timeout of one statement, in milliseconds; 0 for none. */
  readonly statementTimeout?: number
}

/** Timeout for a free connection, or a new one. */
const CONNECT_MS = 5_000
/** Timeout of a statement: a server that stands still holds no request for longer. */
const STATEMENT_MS = 5_000
/** A server that lives ends a statement itself before we give its connection up. */
const GRACE_MS = 1_000

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

/**
 * Opens a pool on an existing database. Connections are opened on demand, to the host that answers and takes writes where the
 * URL names several (D103). One whose server turns out to take no writes, or does not answer in time, is not used again.
 */
export function openSql<Tables>(url: string, options: SqlOptions): Sql<Tables> {
  const { log, connections = 8, statementTimeout = STATEMENT_MS } = options
  const hosts = openHosts(url)
  const pool = new pg.Pool({
    max: connections,
    types,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    ...(statementTimeout > 0 && {
      statement_timeout: statementTimeout,
      query_timeout: statementTimeout + GRACE_MS,
      lock_timeout: statementTimeout,
      idle_in_transaction_session_timeout: statementTimeout,
    }),
    Client: clientOf(hosts),
  })
  // Idle connections break when the server restarts; the pool replaces them.
  pool.on('error', (error) => log.warn({ err: messageOf(error) }, 'lost a database connection'))
  const unfit = new WeakSet<object>()
  pool.on('connect', (client) => {
    // One in use that breaks between two statements fails the next one; unhandled, the event itself would end the
    // process.
    client.on('error', () => undefined)
    onFailure(client, (error) => {
      if (codeOfSql(error) === READ_ONLY) unfit.add(client)
      if (messageOf(error) === 'Query read timeout') hangUp(client)
    })
  })
  // The pool drops a connection that has been ended. Ended earlier, it could not roll back.
  pool.on('release', (_error, client) => {
    if (unfit.has(client)) hangUp(client)
  })
  tryHosts(pool, hosts)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close: () => db.destroy() }
}

/**
 * Rejects if the server cannot take writes now: with ReadOnlyError if it says so. The connection is not used again then.
 */
export async function checkWrites({ pool }: Pick<Sql<unknown>, 'pool'>): Promise<void> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await requireWrites(client)
  } catch (error) {
    failure = error instanceof Error ? error : new Error(messageOf(error))
    throw error
  } finally {
    client.release(failure)
  }
}

/** Clients of the host that is current when they are made. */
function clientOf(hosts: Hosts): new (config?: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: hosts.current() })
    }
  }
}

/** Calls `seen` with the errors of a connection's statements. */
function onFailure(client: pg.PoolClient, seen: (error: unknown) => void): void {
  const query = client.query.bind(client)
  const watched = (...parts: unknown[]): unknown => {
    const answer: unknown = Reflect.apply(query, client, parts)
    if (answer instanceof Promise) answer.catch(seen)
    return answer
  }
  Object.assign(client, { query: watched })
}

function hangUp(client: pg.PoolClient): void {
  // The types of a pool's client leave it out.
  if (client instanceof pg.Client) void client.end().catch(() => undefined)
}

/** Makes a pool try each host before it gives up, and check new connections. */
function tryHosts(pool: pg.Pool, hosts: Hosts): void {
  const connect = pool.connect.bind(pool)
  const checked = new WeakSet<object>()
  const check = async (client: pg.PoolClient): Promise<pg.PoolClient> => {
    if (checked.has(client)) return client
    try {
      await hosts.check(client)
    } catch (error) {
      client.release(true)
      throw error
    }
    checked.add(client)
    return client
  }
  const connectToAny = async (): Promise<pg.PoolClient> => {
    for (let left = hosts.count; ;) {
      const host = hosts.current()
      try {
        return await check(await connect())
      } catch (error) {
        hosts.failed(host)
        left--
        if (left === 0 || !isUnavailable(error)) throw error
      }
    }
  }
  Object.assign(pool, { connect: connectToAny })
}
