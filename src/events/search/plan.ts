/** Splits a search query the way CometBFT's indexer does: heights, a hash, and conditions on events. */
import type { HeightRange } from '../../consensus/eventIndex.ts'
import type { Condition, Query } from '../query/query.ts'

export type SearchPlan = {
  /** Heights that can hold matches. */
  readonly range: HeightRange
  /** Conditions that a single event must meet. */
  readonly conditions: Query
  /** EXISTS and CONTAINS on the height itself. */
  readonly onHeight: Query
  /** False when no condition is left to search by: then nothing is found. */
  readonly isBounded: boolean
}

const LEADING_INTEGER = /^\d+/

/** The integer part of a number that the query language accepts; heights above all blocks are not distinguished. */
function integerOf(text: string): number {
  return Math.min(Number(LEADING_INTEGER.exec(text)?.[0] ?? '0'), Number.MAX_SAFE_INTEGER - 1)
}

const isWhole = (text: string): boolean => !/\.\d*[1-9]/.test(text)

function clip(first: number, last: number, height: number): HeightRange {
  return { first: Math.max(first, height), last: Math.min(last, height) }
}

function isRange({ operator }: Condition): boolean {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>='
}

const EMPTY: HeightRange = { first: 1, last: 0 }

/** Narrows a range by one more condition on the height. */
function cut({ first, last }: HeightRange, { operator, operand }: Condition): HeightRange {
  const text = operand?.text ?? ''
  const height = integerOf(text)
  // A single height is compared as text.
  if (operator === '=') return text === String(height) ? clip(first, last, height) : EMPTY
  if (operand?.kind !== 'number') return EMPTY
  const whole = isWhole(text)
  switch (operator) {
    case '>':
      return { first: Math.max(first, height + 1), last }
    case '>=':
      return { first: Math.max(first, whole ? height : height + 1), last }
    case '<':
      return { first, last: Math.min(last, whole ? height - 1 : height) }
    default:
      return { first, last: Math.min(last, height) }
  }
}

/**
 * The plan of a query. Of several heights given with "=", the first applies, and none if there are other conditions on
 * the height; one that is not a number is ignored.
 */
export function planSearch(query: Query, heightTag: string, all: HeightRange): SearchPlan {
  const conditions = query.filter(({ tag }) => tag !== heightTag)
  const others = query.filter(({ tag, operator }) => tag === heightTag && operator !== '=')
  const exact = query.filter(
    ({ tag, operator, operand }) =>
      tag === heightTag && operator === '=' && /^\d/.test(operand?.text ?? ''),
  )
  const counted = others.length > 0 ? others.filter(isRange) : exact.slice(0, 1)
  return {
    range: counted.reduce(cut, all),
    conditions,
    onHeight: others.filter((condition) => !isRange(condition)),
    isBounded: conditions.length + counted.length + others.length > 0,
  }
}
