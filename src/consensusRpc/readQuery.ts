/** Queries written by callers. All failures are ConsensusError. */
import { ConsensusError } from '../consensus/engine.ts'
import { parseQuery } from '../events/query/parser.ts'
import { type Query, QueryError } from '../events/query/query.ts'

const MAX_QUERY_BYTES = 512

function read(query: string, prefix: string): Query {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new ConsensusError(`${prefix}${error.message}`)
  }
}

/** The query of a subscription; the error contains the position of the fault. */
export const readQuery = (query: string): Query => read(query, 'failed to parse query: ')

/** The query of a search, whose error has no prefix. */
export const readSearchQuery = (query: string): Query => read(query, '')

/** Throws for a query of more than 512 bytes. */
export function requireQueryLength(query: string): void {
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES)
    throw new ConsensusError('maximum query length exceeded')
}
