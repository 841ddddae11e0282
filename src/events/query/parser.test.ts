import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQuery } from './parser.ts'
import { type Condition, formatQuery, type Operand, type Operator, QueryError } from './query.ts'

test('a query is conditions joined by AND', () => {
  expect(parseQuery("tm.event='Tx' AND assay.recipient = '0xab' AND tx.height>5")).toEqual([
    { tag: 'tm.event', operator: '=', operand: { kind: 'string', text: 'Tx' } },
    { tag: 'assay.recipient', operator: '=', operand: { kind: 'string', text: '0xab' } },
    { tag: 'tx.height', operator: '>', operand: { kind: 'number', text: '5' } },
  ])
})

// Verdicts of CometBFT v0.38's own parser.
test.each([
  "tm.events.type='NewBlock'",
  "tm.events.name = ''",
  "tm.events.type='TIME'",
  "tm.events.type='='",
  "abci.account.name CONTAINS 'Igor'",
  'tx.date > DATE 2013-05-03',
  'tx.date > TIME 2013-05-03T14:45:00+07:00',
  'tx.date <= TIME 2013-05-03T14:45:00Z',
  'account.balance=100',
  'account.balance>=33.22',
  'slashing EXISTS',
  'slashing.amount EXISTS AND account.balance=100',
  'cosm-wasm.transfer_amount=100',
  '_private.name EXISTS',
])('%s is a query', (text) => {
  expect(() => parseQuery(text)).not.toThrow()
})

test.each([
  '',
  '=',
  '>==',
  'NewBlock',
  "'NewBlock'",
  'tm.events.type=',
  'tm.events.type==',
  'tm.events.type=NewBlock',
  "tm.events.type='TIME",
  "tm.events.type=TIME'",
  "tm.events.type 'NewBlock' =",
  "tm.events.type>'NewBlock'",
  "tm.events.type='NewBlock' AND",
  "tm.events.type='NewBlock' AN",
  "AND tm.events.type='NewBlock' ",
  "a='b' OR c='d'",
  "NOT a='b'",
  "(a='b')",
  'tx.date >= DAT 2013-05-03',
  'tx.date <= DATE2013-05-03',
  'tx.date <= DATE  2013-05-03',
  'tx.date >= DATE 20130503',
  'tx.date >= DATE 0013-01-03',
  'tx.date >= DATE 3013-01-03',
  'tx.date >= DATE 2013-31-03',
  'tx.date >= DATE 2013-02-30',
  'tx.date >= TIME2013-05-03T14:45:00Z',
  'tx.date >= TIME 2013-05-03T14:45:00',
  'tx.date >= TIME 2013-05-03T14:45:00.5Z',
  'tx.date >= TIME 2013-05-03T24:45:00Z',
  'account.balance >= -300',
  'account.balance >>= 400',
  'account.balance=33.22.1',
  'hash=136E18F7E4C348B780CF873A0BF43922E5BAFA63',
  'tx.height = 5 tx.height = 6',
])('%s is not a query', (text) => {
  expect(() => parseQuery(text)).toThrow(QueryError)
})

test.each([
  [
    'malformed query',
    'offset 10: got tag, wanted <= operator, >= operator, < operator, > operator, = operator, CONTAINS operator or EXISTS operator',
  ],
  ['tx.height > ', 'offset 12: EOF'],
  ["tx.height > 'x'", 'offset 12: got string, wanted number, timestamp or datestamp'],
  ['tx.hash CONTAINS 5', 'offset 17: got number, wanted string'],
  ['tx.height = 5 OR', 'offset 14: got tag, want 6'],
  ['tx.height & 5', 'offset 10: invalid input & at offset 11'],
  ["é.x ~ 'y'", 'offset 5: invalid input ~ at offset 6'],
  ["x = 'open", 'offset 4: EOF'],
  ['x = DATE 1000-01-01', 'offset 4: datestamp year 1000 out of range'],
])('%s is refused with the place of the fault', (text, message) => {
  expect(() => parseQuery(text)).toThrow(message)
})

test('the normal form does not depend on white space', () => {
  const written = "  tm.event='Tx'   AND\ttx.height>=  5 AND a.b EXISTS"
  expect(formatQuery(parseQuery(written))).toBe("tm.event = 'Tx' AND tx.height >= 5 AND a.b EXISTS")
})

const letters = Array.from('abcxyzABCXYZ_')
const tag = fc
  .tuple(
    fc.constantFrom(...letters),
    fc.string({ unit: fc.constantFrom(...letters, '0', '9', '.', '-') }),
  )
  .map(([first, rest]) => first + rest)
  .filter((name) => !['AND', 'CONTAINS', 'EXISTS', 'TIME', 'DATE'].includes(name))
const day = fc
  .date({ min: new Date('1900-01-02'), max: new Date('2999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString())
const operand: fc.Arbitrary<Operand> = fc.oneof(
  fc.record({
    kind: fc.constant('number' as const),
    text: fc.oneof(
      fc.nat().map(String),
      fc.tuple(fc.nat(), fc.nat()).map((n) => n.join('.')),
    ),
  }),
  fc.record({
    kind: fc.constant('datestamp' as const),
    text: day.map((text) => text.slice(0, 10)),
  }),
  fc.record({
    kind: fc.constant('timestamp' as const),
    text: day.map((text) => `${text.slice(0, 19)}Z`),
  }),
)
const stringOperand: fc.Arbitrary<Operand> = fc.record({
  kind: fc.constant('string' as const),
  text: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll("'", '')),
})
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    tag,
    operator: fc.constantFrom<Operator>('=', '<', '<=', '>', '>='),
    operand,
  }),
  fc.record({ tag, operator: fc.constantFrom<Operator>('=', 'CONTAINS'), operand: stringOperand }),
  fc.record({ tag, operator: fc.constant<Operator>('EXISTS'), operand: fc.constant(undefined) }),
)

test('what is written is read back the same', () => {
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), (query) => {
      expect(parseQuery(formatQuery(query))).toEqual(query)
    }),
  )
})

test('any other text is refused with a QueryError and nothing else', () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...letters, ' ', "'", '=', '<', '>', '.', '5', '-', 'é') }),
    fc
      .array(fc.constantFrom('AND', 'TIME ', 'DATE ', 'EXISTS', "'", '<=', 'a', '1900-01-01', ' '))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(noise, (text) => {
      try {
        parseQuery(text)
      } catch (error) {
        expect(error).toBeInstanceOf(QueryError)
      }
    }),
    { numRuns: 500 },
  )
})
