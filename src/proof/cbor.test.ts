import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { CborError, decodeCbor, encodeCbor, type CborValue } from './cbor.ts'

// RFC 8949, appendix A.
test.each<[CborValue, string]>([
  [0, '00'],
  [23, '17'],
  [24, '1818'],
  [1000, '1903e8'],
  [1_000_000, '1a000f4240'],
  [1_000_000_000_000, '1b000000e8d4a51000'],
  [-1, '20'],
  [-1000, '3903e7'],
  [null, 'f6'],
  [fromHex('01020304'), '4401020304'],
  ['', '60'],
  ['水', '63e6b0b4'],
  [[1, [2, 3], [4, 5]], '8301820203820405'],
  [
    new Map([
      [1, 2],
      [3, 4],
    ]),
    'a201020304',
  ],
])('%o is encoded as the RFC shows it', (value, encoded) => {
  expect(toHexDigits(encodeCbor(value))).toBe(encoded)
  expect(decodeCbor(fromHex(encoded))).toEqual(value)
})

test('a map of indefinite length is the same map', () => {
  expect(decodeCbor(fromHex('bf6161016162bf02f6ffff'))).toEqual(
    new Map<string, CborValue>([
      ['a', 1],
      ['b', new Map([[2, null]])],
    ]),
  )
})

test('any value comes back as it was', () => {
  const { value } = fc.letrec<{ value: CborValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.maxSafeInteger(),
      fc.string({ unit: 'binary' }),
      fc.uint8Array(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(fc.oneof(fc.maxSafeInteger(), fc.string()), tie('value')), { maxLength: 4 })
        .map((entries) => new Map(entries.map(([key, item]) => [key === 0 ? 0 : key, item]))),
    ),
  }))
  fc.assert(
    fc.property(value, (original) => {
      const encoded = encodeCbor(original)
      expect(encodeCbor(decodeCbor(encoded))).toEqual(encoded)
    }),
  )
})

test('the order of map keys does not change the encoding', () => {
  const forwards = encodeCbor(
    new Map<string, number>([
      ['a', 1],
      ['bb', 2],
    ]),
  )
  expect(
    encodeCbor(
      new Map<string, number>([
        ['bb', 2],
        ['a', 1],
      ]),
    ),
  ).toEqual(forwards)
})

test.each([
  ['', 'end early'],
  ['0001', 'left over'],
  ['9f00ff', 'indefinite'],
  ['a20100', 'end early'],
  ['a201000100', 'twice'],
  ['bf0100', 'end early'],
  ['bf01ff', 'major type 7'],
  ['bf01000100ff', 'twice'],
  ['bf'.repeat(40), 'nested'],
  ['a1f600', 'map keys'],
  ['62c328', 'UTF-8'],
  ['fb3ff0000000000000', 'major type 7'],
  ['1bffffffffffffffff', 'too large'],
  ['9b0001000000000000', 'end early'],
  ['81'.repeat(40), 'nested'],
])('%s is refused', (encoded, reason) => {
  expect(() => decodeCbor(fromHex(encoded))).toThrow(reason)
})

test('any bytes are a value or a CborError, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodeCbor(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(CborError)
      }
    }),
    { numRuns: 500 },
  )
})
