/** A second, naive implementation of the query language, to compare with. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileQuery } from './match.ts'
import { parseQuery } from './parser.ts'
import type { Condition } from './query.ts'

const WORD_END = String.raw`(?![\p{L}\p{Nd}._-])`
const TAG = String.raw`(?!(?:AND|CONTAINS|EXISTS)${WORD_END})(?!(?:TIME|DATE) )[\p{L}_][\p{L}\p{Nd}._-]*${WORD_END}`
const STRING = `'[^']*'`
const ORDERED = String.raw`(?:\d+(?:\.\d*)?|DATE 2020-02-29|TIME 2020-02-29T12:00:00Z)`
const CONDITION = String.raw`\s*${TAG}\s*(?:EXISTS${WORD_END}|CONTAINS${WORD_END}\s*${STRING}|=\s*(?:${STRING}|${ORDERED})|[<>]=?\s*${ORDERED})`
const QUERY = new RegExp(String.raw`^${CONDITION}(?:\s*AND${WORD_END}${CONDITION})*\s*$`, 'u')

const piece = fc.constantFrom(
  'a',
  'b.c',
  '_',
  'é',
  'AND',
  'ANDy',
  'CONTAINS',
  'EXISTS',
  'EXISTS.',
  '=',
  '<',
  '<=',
  '>',
  '>=',
  "'",
  "'x y'",
  "''",
  '5',
  '5.',
  '0.25',
  '.',
  '-',
  ' ',
  '  ',
  '\t',
  '\n',
  'TIME',
  'DATE 2020-02-29',
  'TIME 2020-02-29T12:00:00Z',
  'DATE 2021-02-29',
  'TIME 5',
  '(',
  '!=',
)
const condition = fc.oneof(
  fc.tuple(
    fc.constantFrom('a', 'b.c', 'DATE'),
    fc.constantFrom('<', '>=', '='),
    fc.constantFrom('5', "'x'", 'DATE 2020-02-29', 'b'),
  ),
  fc.tuple(
    fc.constantFrom('a', 'AND'),
    fc.constantFrom('EXISTS', "CONTAINS 'x'", 'CONTAINS 5', ''),
  ),
)
const text = fc.oneof(
  fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')),
  fc
    .array(
      condition.map((parts) => parts.join(' ')),
      { minLength: 1, maxLength: 3 },
    )
    .map((conditions) => conditions.join(' AND ')),
)

test('the same texts are queries', () => {
  let accepted = 0
  fc.assert(
    fc.property(text, (query) => {
      let isQuery = true
      try {
        parseQuery(query)
        accepted++
      } catch {
        isQuery = false
      }
      expect(isQuery).toBe(QUERY.test(query))
    }),
    { numRuns: 5000 },
  )
  expect(accepted).toBeGreaterThan(200)
})

function holds({ operator, operand }: Condition, value: string): boolean {
  const bound = operand?.text ?? ''
  if (operator === 'EXISTS') return true
  if (operator === 'CONTAINS') return value.includes(bound)
  if (operand?.kind === 'string') return value === bound
  const isNumber = operand?.kind === 'number'
  const number = isNumber ? Number.parseFloat(value) : Date.parse(value)
  const limit = isNumber ? Number(bound) : Date.parse(bound)
  if (isNumber && !/^\d/.test(value)) return false
  const shape = { datestamp: /^[\d-]{10}$/, timestamp: /T.*Z$/, number: /./, string: /./ }
  if (!shape[operand?.kind ?? 'string'].test(value)) return false
  switch (operator) {
    case '=':
      return number === limit
    case '<':
      return number < limit
    case '<=':
      return number <= limit
    case '>':
      return number > limit
    default:
      return number >= limit
  }
}

const value = fc.constantFrom(
  '5',
  '5.0',
  '4.75atom',
  '6',
  'x',
  'xyz',
  '',
  '2020-02-29',
  '2020-03-01',
  '2020-02-29T12:00:00Z',
  '2020-02-29T12:00:01Z',
  '-5',
)
const operand = fc.constantFrom('5', '4.75', 'DATE 2020-02-29', 'TIME 2020-02-29T12:00:00Z')
const tag = fc.constantFrom('app.a', 'app.b', 'bank.a')
const comparison = fc.oneof(
  fc.tuple(tag, fc.constantFrom('=', '<', '<=', '>', '>='), operand),
  fc.tuple(tag, fc.constantFrom('=', 'CONTAINS'), fc.constantFrom("'x'", "'5'", "''")),
  fc.tuple(tag, fc.constant('EXISTS')),
)

test('the same events match', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(tag, fc.array(value, { minLength: 1, maxLength: 3 })), { maxLength: 3 }),
      fc.array(comparison, { minLength: 1, maxLength: 3 }),
      (attributes, comparisons) => {
        const own = new Map<string, readonly string[]>(attributes)
        const query = parseQuery(comparisons.map((parts) => parts.join(' ')).join(' AND '))
        const expected = query.every((each) =>
          (own.get(each.tag) ?? []).some((text) => holds(each, text)),
        )
        expect(compileQuery(query)(own)).toBe(expected)
      },
    ),
    { numRuns: 5000 },
  )
})
