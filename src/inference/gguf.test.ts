import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseGgufHeader } from './gguf.ts'
import { GgufError } from './ggufCursor.ts'
import { encodeGguf, type GgufValue } from './ggufWriter.ts'

const metadata: Readonly<Record<string, GgufValue>> = {
  'other.strings': { type: 'strings', value: ['a', 'bc'] },
  'other.numbers': { type: 'float32s', value: [1, 2, 3] },
  'other.flag': { type: 'bool', value: true },
  'phi3.context_length': { type: 'uint32', value: 4096 },
  'general.architecture': { type: 'string', value: 'phi3' },
}

test('architecture and context length are found in any order, past other values', () => {
  expect(parseGgufHeader(encodeGguf(metadata, []))).toEqual({
    version: 3,
    architecture: 'phi3',
    contextLength: 4096,
  })
})

test('every beginning of a file asks for more bytes, and never gives a wrong head', () => {
  const whole = encodeGguf(metadata, [])
  const full = parseGgufHeader(whole)
  for (let length = 0; length < whole.length; length++) {
    const header = parseGgufHeader(whole.subarray(0, length))
    if (header !== undefined) expect(header).toEqual(full)
  }
})

function patched(offset: number, value: number): Uint8Array {
  const bytes = encodeGguf(metadata, [])
  bytes[offset] = value
  return bytes
}

test.each([
  [patched(0, 0), 'does not start with "GGUF"'],
  [patched(4, 1), 'version 1 is not supported'],
  [patched(20, 255), 'its number of metadata keys is'],
  [
    encodeGguf({ ...metadata, 'general.architecture': { type: 'bool', value: true } }, []),
    'not a string',
  ],
  [
    encodeGguf({ ...metadata, 'phi3.context_length': { type: 'uint32', value: 0 } }, []),
    'positive',
  ],
  [encodeGguf({ 'general.architecture': { type: 'string', value: 'x' } }, []), 'context length'],
])('a damaged head is refused with what is wrong (%#)', (bytes, reason) => {
  expect(() => parseGgufHeader(bytes)).toThrow(reason)
})

test('any bytes after the magic are a head, too few, or a GgufError', () => {
  const start = encodeGguf(metadata, []).subarray(0, 8)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (rest) => {
      try {
        parseGgufHeader(Uint8Array.from([...start, ...rest]))
      } catch (error) {
        expect(error).toBeInstanceOf(GgufError)
      }
    }),
    { numRuns: 500 },
  )
})

test('a changed byte anywhere gives a head, or a GgufError', () => {
  const whole = encodeGguf(metadata, [])
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (offset, value) => {
      try {
        parseGgufHeader(patched(offset, value))
      } catch (error) {
        expect(error).toBeInstanceOf(GgufError)
      }
    }),
    { numRuns: 500 },
  )
})
