// Holds D71.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonBudgetError, parseBounded } from './jsonBudget.ts'

test('values of any shape come back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      expect(parseBounded(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('any text is parsed or refused with a SyntaxError', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ':', 'a', ',') }),
      (text) => {
        try {
          parseBounded(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError)
        }
      },
    ),
  )
})

test('64 levels are read and 65 are not, whatever brackets stand in strings', () => {
  const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)
  expect(() => parseBounded(nested(64))).not.toThrow()
  expect(() => parseBounded(nested(65))).toThrow('deeper than 64')
  expect(parseBounded(JSON.stringify(['[{'.repeat(100), '\\"[', '"']))).toHaveLength(3)
})

test('a long text is held to the same depth as a short one', () => {
  const filler = 'x'.repeat(70_000)
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['[1,{"__proto__":', '}]'],
  ] as const) {
    const levels = open.replaceAll(/[^[{]/g, '').length
    const nested = (count: number, inner: string) =>
      open.repeat(count) + inner + close.repeat(count)
    for (const inner of ['1', JSON.stringify(filler), JSON.stringify(['[{'.repeat(70)])]) {
      const own = inner.startsWith('[') ? 1 : 0
      const most = Math.floor((64 - own) / levels)
      expect(() => parseBounded(nested(most, inner))).not.toThrow()
      expect(() => parseBounded(nested(most + 1, inner))).toThrow('deeper than 64')
    }
  }
})

test('millions of brackets are refused at once', () => {
  const started = performance.now()
  expect(() => parseBounded('[{"":'.repeat(1_000_000))).toThrow('deeper than 64')
  expect(performance.now() - started).toBeLessThan(1000)
})

test('as many values as allowed are read, and one more is refused before it is parsed', () => {
  const limits = { bytes: Infinity, depth: 64, values: 10 }
  const few = '[1,[2,"a,b",{"c":3,"d":{}}],[]]'
  expect(parseBounded(few, limits)).toHaveLength(3)
  expect(parseBounded('[1,2,3,4,5,6,7,8,9,0]', limits)).toHaveLength(10)
  for (const text of [
    '[1,2,3,4,5,6,7,8,9,10,11]',
    `{${'"a":1,'.repeat(10)}"b":2}`,
    '[[],[],[],[],[],[]]',
  ])
    expect(() => parseBounded(text, limits)).toThrow('more than 10 values')
})

test('a small budget holds for short texts too', () => {
  const limits = { bytes: 20, depth: 2, values: 5 }
  expect(parseBounded('[[1,2]]', limits)).toEqual([[1, 2]])
  expect(() => parseBounded('[[[]]]', limits)).toThrow('deeper than 2 levels')
  expect(() => parseBounded('[1,2,3,4,5,6]', limits)).toThrow('more than 5 values')
  expect(() => parseBounded(`["${'a'.repeat(20)}"]`, limits)).toThrow(JsonBudgetError)
})

test('bytes are read as UTF-8, and anything else is no JSON', () => {
  expect(parseBounded(Buffer.from('{"a":"é"}'))).toEqual({ a: 'é' })
  expect(() => parseBounded(Uint8Array.of(0x22, 0xff, 0x22))).toThrow('not UTF-8')
  expect(() => parseBounded(Buffer.from('[1]'), { bytes: 2, depth: 1, values: 1 })).toThrow(
    'longer than 2 bytes',
  )
})

test('a body of empty objects is refused in the time that it takes to read its beginning', () => {
  const started = performance.now()
  expect(() => parseBounded(`[${'{},'.repeat(1_700_000)}{}]`)).toThrow('more than 100000 values')
  expect(performance.now() - started).toBeLessThan(200)
})

/** What the budget counts: arrays, objects, and the commas between their members. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return (
    1 + Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + countOf(part), 0)
  )
}

test('whatever stands in strings, the budget ends at the same value', () => {
  const strings = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', 'a') }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', 'a'), minLength: 28, maxLength: 70 }),
  )
  const values = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      strings,
      fc.array(tie('any')),
      fc.dictionary(strings, tie('any')),
    ),
  })).any
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value)
      const count = countOf(JSON.parse(text))
      // A short text is not scanned where it could not be beyond its budget.
      const limits = { bytes: Infinity, depth: 64, values: count }
      expect(parseBounded(text, limits)).toEqual(JSON.parse(text))
      if (count > 0)
        expect(() => parseBounded(text, { ...limits, values: count - 1 })).toThrow(JsonBudgetError)
    }),
  )
})
