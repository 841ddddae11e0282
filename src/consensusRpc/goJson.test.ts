import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GoJsonError, parseGoJson, shownJson, shownValue } from './goJson.ts'

test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['tru', 'unexpected end of JSON input'],
  ['-', 'unexpected end of JSON input'],
  ['xx', "invalid character 'x' looking for beginning of value"],
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ['tx.height', "invalid character 'x' in literal true (expecting 'r')"],
  ['{} trailing', "invalid character 't' after top-level value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['01', "invalid character '1' after top-level value"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['"a\nb"', String.raw`invalid character '\n' in string literal`],
  [String.raw`"\x"`, "invalid character 'x' in string escape code"],
  [String.raw`"\u12g4"`, String.raw`invalid character 'g' in \u hexadecimal character escape`],
  ["'", String.raw`invalid character '\'' looking for beginning of value`],
  ['\u0000', String.raw`invalid character '\x00' looking for beginning of value`],
  ['é', "invalid character 'Ã' looking for beginning of value"],
])('%j fails with Go’s words', (text, message) => {
  expect(() => parseGoJson(text)).toThrow(new GoJsonError(message))
})

test('whatever is not JSON is refused with GoJsonError, and JSON is read', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ',', ':', 'e', '.', '0'))
    .map(([text, at, inserted]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + inserted + text.slice(place + 1)
    })
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => {
      let expected: unknown
      try {
        expected = { value: JSON.parse(text) as unknown }
      } catch {
        expect(() => parseGoJson(text)).toThrow(GoJsonError)
        expect(() => parseGoJson(text)).toThrow(
          /^(?:unexpected end of JSON input|invalid character '.+' (?:in|after|looking for) .+)$/su,
        )
        return
      }
      expect({ value: parseGoJson(text) }).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})

test('what errors show of a value is short, however deep it is', () => {
  const deep: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000))
  expect(shownJson(deep)).toBe('array')
  expect(shownValue(deep)).toBe('array')
  expect(shownJson({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}')
  expect(shownValue({ b: [1, 'x', null], a: true })).toBe('map[a:true b:[1 x <nil>]]')
})
