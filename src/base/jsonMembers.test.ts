import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringMember } from './jsonMembers.ts'

test('the value of a member is what a parser finds', () => {
  const key = fc.oneof(
    fc.constantFrom('verify', 'verify\\', '"verify"'),
    fc.string({ maxLength: 9 }),
  )
  const object = fc.dictionary(key, fc.jsonValue())
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const parsed: unknown = (JSON.parse(JSON.stringify(value)) as { verify?: unknown })['verify']
      const expected =
        Object.hasOwn(value, 'verify') && typeof parsed === 'string' ? parsed : undefined
      expect(stringMember(JSON.stringify(value, null, space), 'verify')).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['{"verify":"a","verify":"b"}', 'b'],
  ['{"\\u0076erify":"a"}', 'a'],
  ['{"x":{"verify":"a"},"y":["verify","b"]}', undefined],
  ['{"x":"\\"verify\\":\\"a\\""}', undefined],
  ['{"x":"verify","y":"a"}', undefined],
  [`{"verify":"${'a'.repeat(2000)}"}`, undefined],
  ['["verify","a"]', undefined],
  ['{"verify":"a', undefined],
  ['', undefined],
])('in %s it is %s', (text, value) => {
  expect(stringMember(text, 'verify')).toBe(value)
})

test.each([
  ['brackets', '['.repeat(1 << 20)],
  ['quotes', '"'.repeat(1 << 20)],
  ['backslashes', `{"a":"${'\\'.repeat(1 << 20)}`],
  ['quotes behind backslashes', `{"${'\\"'.repeat(1 << 19)}`],
])('a megabyte of %s takes no time', (_, text) => {
  const began = performance.now()
  expect(stringMember(text, 'verify')).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(500)
})
