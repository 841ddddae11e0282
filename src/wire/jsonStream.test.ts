import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonSplitter } from './jsonStream.ts'

function splitAll(text: string, chunkSize: number): string[] {
  const split = createJsonSplitter(1_000_000)
  const bytes = Buffer.from(text)
  const values: string[] = []
  for (let at = 0; at < bytes.length; at += chunkSize)
    for (const value of split(bytes.subarray(at, at + chunkSize))) values.push(value.toString())
  return values
}

const objects = fc.array(fc.oneof(fc.object(), fc.array(fc.jsonValue())), { maxLength: 5 })

test('values are found wherever the stream is cut and whatever stands between them', () => {
  fc.assert(
    fc.property(
      objects,
      fc.constantFrom('', '\n', ' \r\n\t'),
      fc.integer({ min: 1, max: 50 }),
      (values, gap, size) => {
        const texts = values.map((value) => JSON.stringify(value))
        expect(splitAll(texts.join(gap), size)).toEqual(texts)
      },
    ),
  )
})

test('what is no object or array ends at white space, and what follows is found again', () => {
  expect(splitAll('null\nhello 1 {"a":1}', 3)).toEqual(['null', 'hello', '1', '{"a":1}'])
  expect(splitAll('}]{"a":"}"}', 2).at(-1)).toBe('{"a":"}"}')
})

test('a value over the limit is refused before it is complete', () => {
  const split = createJsonSplitter(10)
  expect(split(Buffer.from('[1,2,3]'))).toHaveLength(1)
  expect(() => split(Buffer.from('["0123456789'))).toThrow(RangeError)
})
