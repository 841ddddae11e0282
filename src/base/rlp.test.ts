import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from './hex.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from './rlp.ts'

const item: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.uint8Array({ maxLength: 80 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
})).item

test('encodings equal those of an independent implementation', () => {
  fc.assert(
    fc.property(item, (value) => {
      expect(encodeRlp(value)).toEqual(RLP.encode(value as never))
    }),
  )
})

test('decoding gives back what was encoded', () => {
  fc.assert(
    fc.property(item, (value) => {
      expect(decodeRlp(encodeRlp(value))).toEqual(value)
    }),
  )
})

test('random bytes are either refused or are the canonical encoding of what they decode to', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      let value: RlpItem
      try {
        value = decodeRlp(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(RlpError)
        return
      }
      expect(toHexDigits(encodeRlp(value))).toBe(toHexDigits(bytes))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['empty input', ''],
  ['trailing byte', '0102'],
  ['needless prefix', '8101'],
  ['long form of a short length', 'b80100'],
  ['length with a leading zero', 'b90038'],
  ['list longer than the input', 'c50102'],
  ['length beyond any input', 'bfffffffffffffffff'],
])('%s is refused', (_, hex) => {
  expect(() => decodeRlp(fromHex(hex))).toThrow(RlpError)
})

test('nesting beyond 64 lists is refused instead of exhausting the stack', () => {
  let value: RlpItem = []
  for (let i = 0; i < 100; i++) value = [value]
  expect(() => decodeRlp(encodeRlp(value))).toThrow('deeper')
})
