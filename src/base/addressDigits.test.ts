import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressDigits } from './addressDigits.ts'
import { toHexDigits } from './hex.ts'

test('the digits are those of the bytes, however often and in whatever order they are asked for', () => {
  // Only a few different last bytes, so that many addresses share a slot.
  const address = fc
    .tuple(fc.uint8Array({ minLength: 19, maxLength: 19 }), fc.constantFrom(0, 1, 255))
    .map(([bytes, last]) => Uint8Array.of(...bytes, last))
  fc.assert(
    fc.property(fc.array(address, { minLength: 1 }), fc.array(fc.nat()), (some, order) => {
      for (const index of order) {
        const one = some[index % some.length] as Uint8Array
        expect(addressDigits(one)).toBe(toHexDigits(one))
      }
    }),
  )
  const zero = new Uint8Array(20)
  for (let round = 0; round < 2; round++) expect(addressDigits(zero)).toBe('0'.repeat(40))
})

test('a text belongs to what the bytes were when it was asked for', () => {
  const bytes = new Uint8Array(20).fill(7)
  const before = addressDigits(bytes)
  bytes[3] = 8
  expect(addressDigits(bytes)).toBe(toHexDigits(bytes))
  expect(addressDigits(new Uint8Array(20).fill(7))).toBe(before)
})
