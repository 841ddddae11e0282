/** What a search asks for, taken apart the way CometBFT's indexer does it: heights, a hash, and conditions on events. */
import type { HeightRange } from '../../consensus/eventIndex.ts'
import type { Condition, Query } from '../query/query.ts'

export type SearchPlan = {
  /** Heights that can hold matches. */
  readonly range: HeightRange
  /** Conditions that one and the same event must meet. */
  readonly conditions: Query
  /** False when nothing of the query is left to go by: then nothing is found. */
  readonly isBounded: boolean
}

const LEADING_INTEGER = /^\d+/

/** The integer part of a number that the query language accepts; heights beyond all blocks are all alike. */
function integerOf(text: string): number {
  return Math.min(Number(LEADING_INTEGER.exec(text)?.[0] ?? '0'), Number.MAX_SAFE_INTEGER - 1)
}

const isWhole = (text: string): boolean => !/\.\d*[1-9]/.test(text)

function isRange({ operator }: Condition): boolean {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>='
}

/** A range cut by one more condition on the height. Bounds that are no numbers bound nothing. */
function cut({ first, last }: HeightRange, { operator, operand }: Condition): HeightRange {
  if (operand?.kind !== 'number') return { first: 1, last: 0 }
  const height = integerOf(operand.text)
  const whole = isWhole(operand.text)
  switch (operator) {
    case '>':
      return { first: Math.max(first, height + 1), last }
    case '>=':
      return { first: Math.max(first, whole ? height : height + 1), last }
    case '<':
      return { first, last: Math.min(last, whole ? height - 1 : height) }
    case '<=':
      return { first, last: Math.min(last, height) }
    default:
      return { first: Math.max(first, height), last: Math.min(last, height) }
  }
}

/**
 * The plan of a query. Of several heights that are named with "=" the first counts, and none beside a range of heights;
 * one that is not a number says nothing.
 */
export function planSearch(query: Query, heightTag: string, all: HeightRange): SearchPlan {
  const conditions = query.filter(({ tag }) => tag !== heightTag)
  const onHeight = query.filter(({ tag }) => tag === heightTag)
  const others = onHeight.filter(({ operator }) => operator !== '=')
  const exact = onHeight.filter(
    ({ operator, operand }) => operator === '=' && operand?.kind === 'number',
  )
  const ranges = onHeight.filter(isRange)
  const counted = others.length > 0 ? ranges : exact.slice(0, 1)
  return {
    range: counted.reduce(cut, all),
    // EXISTS and CONTAINS on the height meet no event, so they stay among the conditions.
    conditions: [...conditions, ...others.filter((condition) => !isRange(condition))],
    isBounded: conditions.length > 0 || counted.length > 0 || others.length > 0,
  }
}
