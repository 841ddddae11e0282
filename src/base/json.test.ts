import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

test('values of any shape come back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('any text is parsed or refused with a SyntaxError', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ':', 'a', ',') }),
      (text) => {
        try {
          parseJson(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError)
        }
      },
    ),
  )
})

test('64 levels are read and 65 are not, whatever brackets stand in strings', () => {
  const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)
  expect(() => parseJson(nested(64))).not.toThrow()
  expect(() => parseJson(nested(65))).toThrow('deeper than 64')
  expect(parseJson(JSON.stringify(['[{'.repeat(100), '\\"[', '"']))).toHaveLength(3)
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
      expect(() => parseJson(nested(most, inner))).not.toThrow()
      expect(() => parseJson(nested(most + 1, inner))).toThrow('deeper than 64')
    }
  }
})

test('millions of brackets are refused at once', () => {
  const started = performance.now()
  expect(() => parseJson('[{"":'.repeat(1_000_000))).toThrow('deeper than 64')
  expect(performance.now() - started).toBeLessThan(1000)
})
