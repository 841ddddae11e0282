/**
 * Whether a single event meets all conditions of a search. Searches differ from subscriptions (query/match.ts): only
 * attributes with index = true count, equality compares text, and ranges require an integer.
 */
import type { ApplicationEvent } from '../../consensus/application.ts'
import type { Condition, Query } from '../query/query.ts'

/** A number, exactly: digits / 10^scale. */
type Decimal = { readonly digits: bigint; readonly scale: number }

const NUMBER = /^([+-]?)(\d+)(?:\.(\d*))?$/

function parseNumber(text: string): Decimal | undefined {
  const [, sign = '', whole, fraction = ''] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, scale: fraction.length }
}

function difference(a: Decimal, b: Decimal): bigint {
  const scale = Math.max(a.scale, b.scale)
  return a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale)
}

function meets({ operator, operand }: Condition, value: string): boolean {
  if (operator === 'EXISTS' || operand === undefined) return true
  if (operator === '=') return value === operand.text
  if (operator === 'CONTAINS') return value.includes(operand.text)
  const [number, bound] = [parseNumber(value), parseNumber(operand.text)]
  // No index compares dates and times.
  if (number === undefined || bound === undefined || operand.kind !== 'number') return false
  const sign = difference(number, bound)
  switch (operator) {
    case '<':
      return sign < 0n
    case '<=':
      return sign <= 0n
    case '>':
      return sign > 0n
    default:
      return sign >= 0n
  }
}

const isRange = ({ operator }: Condition): boolean =>
  operator.startsWith('<') || operator.startsWith('>')

/**
 * Groups the conditions that one attribute must meet together: the bounds of one tag, or any other condition by itself.
 */
function groups(query: Query): readonly Query[] {
  const bounds = new Map<string, Condition[]>()
  const singles: Query[] = []
  for (const condition of query) {
    if (!isRange(condition)) singles.push([condition])
    else if (!bounds.get(condition.tag)?.push(condition)) bounds.set(condition.tag, [condition])
  }
  return [...singles, ...bounds.values()]
}

/** Compiles a query to a test of events. */
export function compileEventMatch(query: Query): (event: ApplicationEvent) => boolean {
  const wanted = groups(query)
  return ({ type, attributes }) => {
    if (type === '') return false
    return wanted.every((conditions) =>
      attributes.some(
        ({ key, value, index }) =>
          index &&
          key !== '' &&
          `${type}.${key}` === conditions[0]?.tag &&
          conditions.every((condition) => meets(condition, value)),
      ),
    )
  }
}
