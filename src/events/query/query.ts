/** The event query language of CometBFT v0.38 as data: a conjunction of conditions. */

/** How a condition compares. EXISTS alone takes no operand. */
export type Operator = '=' | '<' | '<=' | '>' | '>=' | 'CONTAINS' | 'EXISTS'

/** What a condition compares with: text without quotes or keyword. */
export type Operand = {
  readonly kind: 'string' | 'number' | 'timestamp' | 'datestamp'
  readonly text: string
}

/** One condition on the attribute `<event type>.<attribute key>`. */
export type Condition = {
  readonly tag: string
  readonly operator: Operator
  readonly operand: Operand | undefined
}

/** At least one condition. */
export type Query = readonly Condition[]

/** The text is not a query. The message has CometBFT's form `offset <bytes>: <what was wrong>`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

const FORMATS: Readonly<Record<Operand['kind'], (text: string) => string>> = {
  string: (text) => `'${text}'`,
  number: (text) => text,
  timestamp: (text) => `TIME ${text}`,
  datestamp: (text) => `DATE ${text}`,
}

/** The normal form of a query: two queries are the same subscription exactly when their normal forms are equal. */
export function formatQuery(query: Query): string {
  return query
    .map(({ tag, operator, operand }) =>
      operand === undefined
        ? `${tag} ${operator}`
        : `${tag} ${operator} ${FORMATS[operand.kind](operand.text)}`,
    )
    .join(' AND ')
}
