/** Single connections and the creation of databases. */
import pg from 'pg'
import { messageOf, UserError } from '../../base/errors.ts'

/** Timeout for establishing a connection. */
const CONNECT_MS = 10_000

/** PostgreSQL's code for a refused password. */
export const INVALID_PASSWORD = '28P01'

const UNKNOWN_DATABASE = '3D000'
const DUPLICATE_DATABASE = '42P04'
const UNIQUE_VIOLATION = '23505'

/** Runs `work` on a connection of its own and closes it. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  connectionTimeoutMillis = CONNECT_MS,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis })
  // A broken connection fails the current query; unhandled, the event itself would end the process.
  client.on('error', () => undefined)
  await client.connect()
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
function refusalOf(url: string, error: unknown): UserError | undefined {
  const host = new URL(url).host || 'its socket'
  const advice = REFUSALS[codeOfSql(error) ?? '']
  if (advice !== undefined)
    return new UserError(`the database at ${host} refused: ${messageOf(error)}`, advice)
  if (!isUnavailable(error)) return undefined
  const away = `the database at ${host} does not respond: ${messageOf(error)}`
  return Object.assign(new UserError(away, 'Start it, or correct its URL.'), { cause: error })
}

async function createIfMissing(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
    return
  } catch (error) {
    if (codeOfSql(error) !== UNKNOWN_DATABASE) throw error
  }
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  await withClient(maintenance.href, async (client) => {
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

/** Errors after which the same statement may succeed later: connection, conflict, resources, intervention, lock. */
const TRANSIENT = /^(?:08|40|53|57|55P03)/
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const DRIVER =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/

/** Whether an error means that the database is unavailable or overloaded, not that the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof UserError) return isUnavailable(error.cause)
  const code = codeOfSql(error)
  if (code !== undefined) return TRANSIENT.test(code)
  if ('code' in error && SOCKET.has(String(error.code))) return true
  return DRIVER.test(error.message)
}
