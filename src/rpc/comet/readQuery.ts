import { ConsensusError } from '../../consensus/engine.ts'
import { parseQuery } from '../../events/query/parser.ts'
import { type Query, QueryError } from '../../events/query/query.ts'

/** The query that a caller wrote. Throws ConsensusError with the place of the fault. */
export function readQuery(query: string): Query {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new ConsensusError(`failed to parse query: ${error.message}`)
  }
}
