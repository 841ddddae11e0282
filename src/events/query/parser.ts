/** Parser of the query language: `condition {AND condition}`. */
import { type Condition, type Operand, type Operator, type Query, QueryError } from './query.ts'
import { byteOffset, scan, type Token, type TokenKind } from './scanner.ts'

const OPERATORS = [
  '<= operator',
  '>= operator',
  '< operator',
  '> operator',
  '= operator',
  'CONTAINS operator',
  'EXISTS operator',
] as const

const ORDERED = ['number', 'timestamp', 'datestamp'] as const

/** What may follow an operator; nothing follows EXISTS. */
const OPERANDS: Readonly<Record<Operator, readonly Operand['kind'][]>> = {
  '<=': ORDERED,
  '>=': ORDERED,
  '<': ORDERED,
  '>': ORDERED,
  '=': [...ORDERED, 'string'],
  CONTAINS: ['string'],
  EXISTS: [],
}

function listed(kinds: readonly TokenKind[]): string {
  const last = kinds.at(-1) ?? ''
  return kinds.length <= 1 ? last : `${kinds.slice(0, -1).join(', ')} or ${last}`
}

/** CometBFT prints the number of this token where it expected one. */
const AND_TOKEN = 6

/** Parses the text of a query. Throws only QueryError, with the byte offset of what was not understood. */
export function parseQuery(text: string): Query {
  let position = 0
  const next = (): Token => {
    const token = scan(text, position)
    position = token.end
    return token
  }
  const fail = (token: Token, reason: string): never => {
    throw new QueryError(`offset ${byteOffset(text, token.start)}: ${reason}`)
  }
  const require = <Kind extends TokenKind>(
    kinds: readonly Kind[],
  ): Token & { readonly kind: Kind } => {
    const token = next()
    if ((kinds as readonly TokenKind[]).includes(token.kind)) {
      return token as Token & { readonly kind: Kind }
    }
    return fail(
      token,
      token.kind === 'end' || token.kind === 'invalid token'
        ? token.text
        : `got ${token.kind}, wanted ${listed(kinds)}`,
    )
  }
  const condition = (): Condition => {
    const tag = require(['tag']).text
    const operator = require(OPERATORS).text as Operator
    const operands = OPERANDS[operator]
    if (operands.length === 0) return { tag, operator, operand: undefined }
    const { kind, text: operand } = require(operands)
    return { tag, operator, operand: { kind, text: operand } }
  }

  const conditions = [condition()]
  for (let token = next(); token.kind !== 'end'; token = next()) {
    if (token.kind !== 'AND operator') fail(token, `got ${token.kind}, want ${AND_TOKEN}`)
    conditions.push(condition())
  }
  return conditions
}
