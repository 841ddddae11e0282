import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToBytes, bigintToFixedBytes, bytesToBigint } from './bytes.ts'
import { toHexDigits, tryFromHexDigits } from './hex.ts'

const bytes = fc.uint8Array({ maxLength: 40 })

test('an integer is what the hex digits of its bytes say', () => {
  fc.assert(
    fc.property(bytes, (array) => {
      expect(bytesToBigint(array)).toBe(BigInt(`0x0${toHexDigits(array)}`))
    }),
  )
})

test('bytes of an integer have no leading zeros and give it back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 320n }), (value) => {
      const array = bigintToBytes(value)
      expect(array[0]).not.toBe(0)
      expect(bytesToBigint(array)).toBe(value)
    }),
  )
})

test.each([0n, 1n, 255n, 256n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, 2n ** 256n - 1n, 2n ** 256n])(
  'bytes of %s keep their order at the borders of machine words',
  (value) => {
    expect(toHexDigits(bigintToFixedBytes(value, 33))).toBe(value.toString(16).padStart(66, '0'))
  },
)

test('a negative integer, and one that is too large, have no such bytes', () => {
  expect(() => bigintToBytes(-1n)).toThrow(RangeError)
  expect(() => bigintToFixedBytes(256n, 1)).toThrow(RangeError)
})

test('hex digits give the same bytes back, and nothing else passes for digits', () => {
  fc.assert(
    fc.property(bytes, (array) => {
      const digits = toHexDigits(array)
      expect(digits).toBe([...array].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
      expect(tryFromHexDigits(digits.toUpperCase())).toEqual(array)
    }),
  )
  for (const text of ['g0', '0g', 'a', '\u0130\u0130', ' 1', '\u00ff0'])
    expect(tryFromHexDigits(text)).toBeUndefined()
})
