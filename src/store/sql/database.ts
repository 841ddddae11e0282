/** Single connections and the creation of databases. */
import pg from 'pg'
import { databaseName, withDatabase } from '../../base/databaseUrl.ts'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'
import { openHosts, READ_ONLY, ReadOnlyError } from './hosts.ts'

/** Timeout for establishing a connection. */
const CONNECT_MS = 5_000

/** PostgreSQL's code for a refused password. */
export const INVALID_PASSWORD = '28P01'

const UNKNOWN_DATABASE = '3D000'
const DUPLICATE_DATABASE = '42P04'
const UNIQUE_VIOLATION = '23505'

/** Connects to the first host of a URL that does. Rejects with the error of the last one. */
export async function openClient(
  url: string,
  config: Omit<pg.ClientConfig, 'connectionString'> = {},
): Promise<pg.Client> {
  const hosts = openHosts(url)
  for (let left = hosts.count; ;) {
    const host = hosts.current()
    const client = new pg.Client({
      connectionTimeoutMillis: CONNECT_MS,
      ...config,
      connectionString: host,
    })
    // A broken connection fails the current query; unhandled, the event itself would end the process.
    client.on('error', () => undefined)
    try {
      await client.connect()
      await hosts.check(client)
      return client
    } catch (error) {
      void client.end().catch(() => undefined)
      hosts.failed(host)
      left--
      if (left === 0 || !isUnavailable(error)) throw error
    }
  }
}

/** Runs `work` on a connection of its own and closes it. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  connectionTimeoutMillis = CONNECT_MS,
): Promise<T> {
  const client = await openClient(url, { connectionTimeoutMillis })
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Creates the database that a URL names unless it exists; several processes may do it at once. The role needs the right
 * to create databases only when the database is missing. Never drops anything (D33). Throws UserError if the server is
 * unreachable or refuses the role, PostgreSQL's error otherwise.
 */
export async function ensureDatabase(url: string): Promise<void> {
  await createIfMissing(url).catch((error: unknown) => {
    throw refusalOf(url, error) ?? error
  })
}

const REFUSALS: Readonly<Record<string, string>> = {
  '28000': 'Correct the user in its URL, or allow it on the server.',
  [INVALID_PASSWORD]: 'Correct user and password in its URL.',
  '42501': 'Create the database manually, or grant its role the right to.',
}

/**
 * A UserError for whoever wrote the URL, if they can fix the problem; undefined for any other error. The password is
 * not repeated.
 */
export function refusalOf(url: string, error: unknown): UserError | undefined {
  if (error instanceof UserError) return error
  const host = hostOf(url)
  const advice = REFUSALS[codeOfSql(error) ?? '']
  if (advice !== undefined)
    return new UserError(`the database at ${host} refused: ${messageOf(error)}`, advice)
  if (error instanceof ReadOnlyError || codeOfSql(error) === READ_ONLY)
    return causedBy(
      error,
      `the database at ${host} takes no writes`,
      'Name the primary, or all servers: postgres://first,second/name.',
    )
  if (isUnavailable(error))
    return causedBy(
      error,
      `the database at ${host} does not respond: ${messageOf(error)}`,
      'Start it, or correct its URL.',
    )
  if (!isOfTls(error)) return undefined
  return causedBy(
    error,
    `the connection to the database at ${host} is not secure: ${messageOf(error)}`,
    'Correct sslmode or the certificate in its URL.',
  )
}

function causedBy(cause: unknown, message: string, advice: string): UserError {
  return Object.assign(new UserError(message, advice), { cause })
}

/** The hosts in a URL, without user and password. */
function hostOf(url: string): string {
  return /^[^:]*:\/\/(?:[^@/?#]*@)?([^@/?#]*)/.exec(url)?.[1] || 'its socket'
}

/** Whether the server speaks no TLS, or its certificate does not hold. */
function isOfTls(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return (
    /does not support SSL|SSL connection/.test(messageOf(error)) ||
    /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
  )
}

async function createIfMissing(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
    return
  } catch (error) {
    if (codeOfSql(error) !== UNKNOWN_DATABASE) throw error
  }
  const name = databaseName(url)
  await withClient(withDatabase(url, 'postgres'), async (client) => {
    await client.query(`create database ${client.escapeIdentifier(name)}`)
  }).catch((error: unknown) => {
    const code = codeOfSql(error)
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error
  })
}

/** PostgreSQL's five-character code of an error, or undefined when the server did not report it. */
export function codeOfSql(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/**
 * Errors after which the same statement may succeed later: connection, conflict, resources, intervention, lock, and a server
 * that takes no writes until another one is the primary (D103).
 */
const TRANSIENT = /^(?:08|25006|40|53|57|55P03)/
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const DRIVER =
  /Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/

/** Whether an error means that the database is unavailable or overloaded, not that the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof UserError) return isUnavailable(error.cause)
  if (error instanceof ReadOnlyError) return true
  const code = codeOfSql(error)
  if (code !== undefined) return TRANSIENT.test(code)
  if ('code' in error && SOCKET.has(String(error.code))) return true
  return DRIVER.test(error.message)
}
