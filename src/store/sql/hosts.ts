/** The servers behind a database's URL: which one is tried now, and whether it takes writes (D103). */
import type pg from 'pg'
import { databaseHosts } from '../../base/databaseUrl.ts'
import { UserError } from '../../base/errors.ts'

/** PostgreSQL's code for a write on a server that takes none: a standby, or a primary that was demoted. */
export const READ_ONLY = '25006'

/** A server answered, but it takes no writes: another one is the primary now, or will be. */
export class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError'
  constructor() {
    super('the database server takes no writes: it is a standby, or was made read-only')
  }
}

export type Hosts = {
  /** URL of the server to try. */
  current(): string
  /** Number of servers. */
  readonly count: number
  /** Says that a server did not do; the next one is current, unless another caller has said so already. */
  failed(url: string): void
  /** Rejects with ReadOnlyError if the connection must take writes and does not. */
  check(client: pg.ClientBase): Promise<void>
}

/** The servers of a URL. Throws UserError when it is none. */
export function openHosts(text: string): Hosts {
  const hosts = databaseHosts(text)
  if (hosts === undefined)
    throw new UserError(
      'the URL of the database is not valid',
      'Write it as postgres://user:password@host:port/name.',
    )
  const { urls, needsWrites } = hosts
  let at = 0
  const current = (): string => urls[at] ?? ''
  return {
    current,
    count: urls.length,
    failed(url) {
      if (url === current()) at = (at + 1) % urls.length
    },
    check: async (client) => (needsWrites ? requireWrites(client) : undefined),
  }
}

/** Rejects with ReadOnlyError if the server takes no writes. */
export async function requireWrites(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'show transaction_read_only',
  )
  if (rows[0]?.transaction_read_only === 'on') throw new ReadOnlyError()
}
