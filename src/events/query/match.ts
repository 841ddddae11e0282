/** Whether a query matches the attributes of an event. */
import { parseDate, parseInstant } from './instant.ts'
import type { Condition, Operator, Query } from './query.ts'

/** Values by `<event type>.<attribute key>`; several events may share a name, so there may be several values. */
export type EventAttributes = ReadonlyMap<string, readonly string[]>

/** A compiled query. */
export type Matcher = (attributes: EventAttributes) => boolean

type Comparison = Exclude<Operator, 'CONTAINS' | 'EXISTS'>

/** A non-negative decimal number, exactly: digits / 10^scale. */
type Decimal = { readonly digits: bigint; readonly scale: number }

// "8atom" counts as 8: attributes contain amounts with their denomination.
const LEADING_NUMBER = /^(\d+)(?:\.(\d+))?/

function parseNumber(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = LEADING_NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}

function compareNumbers(a: Decimal, b: Decimal): bigint {
  const scale = Math.max(a.scale, b.scale)
  return a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale)
}

/** Whether a comparison holds, by the sign of value minus operand. */
const HOLDS: Readonly<Record<Comparison, (difference: bigint) => boolean>> = {
  '=': (difference) => difference === 0n,
  '<': (difference) => difference < 0n,
  '<=': (difference) => difference <= 0n,
  '>': (difference) => difference > 0n,
  '>=': (difference) => difference >= 0n,
}

type ValueTest = (value: string) => boolean

function ordered<T>(
  comparison: Comparison,
  operand: string,
  parse: (text: string) => T | undefined,
  subtract: (a: T, b: T) => bigint,
): ValueTest {
  const bound = parse(operand)
  const holds = HOLDS[comparison]
  return (text) => {
    const value = parse(text)
    return value !== undefined && bound !== undefined && holds(subtract(value, bound))
  }
}

function valueTest({ operator, operand }: Condition): ValueTest {
  if (operator === 'EXISTS' || operand === undefined) return () => true
  const { kind, text } = operand
  if (operator === 'CONTAINS') return (value) => value.includes(text)
  if (kind === 'string') return (value) => value === text
  if (kind === 'number') return ordered(operator, text, parseNumber, compareNumbers)
  return ordered(operator, text, kind === 'datestamp' ? parseDate : parseInstant, (a, b) => a - b)
}

function hasEventType(attributes: EventAttributes, type: string): boolean {
  for (const name of attributes.keys()) {
    if (
      name.length > type.length &&
      name.startsWith(type) &&
      name.lastIndexOf('.') === type.length
    ) {
      return true
    }
  }
  return false
}

function conditionTest(condition: Condition): Matcher {
  const { tag } = condition
  const test = valueTest(condition)
  // A tag that is a bare event type is compared with the empty text, so that EXISTS works on types.
  const matchesBareType = test('')
  return (attributes) =>
    (attributes.get(tag)?.some(test) ?? false) || (matchesBareType && hasEventType(attributes, tag))
}

/**
 * Compiles a query to a function that tells whether all conditions hold; each may be met by a different value or event.
 */
export function compileQuery(query: Query): Matcher {
  const tests = query.map(conditionTest)
  return (attributes) => tests.every((test) => test(attributes))
}
