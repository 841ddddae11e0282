import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToFixedBytes, bytesToBigint, concatBytes } from '../../../base/bytes.ts'
import { modexp } from './modexp.ts'

const word = (value: number): Uint8Array => bigintToFixedBytes(BigInt(value), 32)

/** The power by its definition, one bit at a time. */
function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}

test('the result is the power modulo the modulus, for short and long numbers', () => {
  const number = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.uint8Array({ maxLength: 70 }),
    fc.constantFrom(Uint8Array.of(0), Uint8Array.of(1), Uint8Array.of(1, 0, 0), new Uint8Array(40)),
  )
  fc.assert(
    fc.property(number, number, number, (base, exponent, modulus) => {
      const lengths = [base, exponent, modulus].map(({ length }) => word(length))
      const output = modexp.run(concatBytes(...lengths, base, exponent, modulus), 'osaka')
      expect(output?.length).toBe(modulus.length)
      const divisor = bytesToBigint(modulus)
      const expected =
        divisor === 0n ? 0n : power(bytesToBigint(base), bytesToBigint(exponent), divisor)
      expect(bytesToBigint(output as Uint8Array)).toBe(expected)
    }),
  )
})

test('numbers that are cut off end with zeros', () => {
  const input = concatBytes(word(1), word(1), word(2), Uint8Array.of(3, 2, 1))
  expect(modexp.run(input, 'osaka')).toEqual(Uint8Array.of(0, 9))
})

test('numbers of more than 1,024 bytes fail from Osaka on', () => {
  const input = concatBytes(word(1025), word(1), word(1), new Uint8Array(1025), Uint8Array.of(1, 7))
  expect(modexp.run(input, 'osaka')).toBeUndefined()
  expect(modexp.run(input, 'prague')).toEqual(Uint8Array.of(0))
})
