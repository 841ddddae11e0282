import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeQ8, toHalfBits } from './quantize.ts'

function fromHalfBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

test('every half-precision number is its own nearest one', () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = fromHalfBits(bits)
    if (!Number.isNaN(value)) expect(toHalfBits(value)).toBe(bits)
  }
})

test.each([
  [1 + 2 ** -11, 0x3c00, 'a tie goes to the even neighbour below'],
  [1 + 3 * 2 ** -11, 0x3c02, 'a tie goes to the even neighbour above'],
  [1 + 2 ** -11 + 2 ** -20, 0x3c01, 'above the tie it is rounded up'],
  [65_504, 0x7bff, 'the largest number'],
  [65_520, 0x7c00, 'beyond it is infinity'],
  [2 ** -25, 0x0000, 'half of the smallest number is zero'],
  [2 ** -25 * 1.5, 0x0001, 'above that it is the smallest number'],
  [2 ** -14 - 2 ** -26, 0x0400, 'the largest subnormal is rounded up into the normal ones'],
])('%d becomes %i: %s', (value, bits) => {
  expect(toHalfBits(value)).toBe(bits)
  expect(toHalfBits(-value)).toBe(bits | 0x8000)
})

test('Q8_0 restores each value to within half a step of its block', () => {
  const blocks = fc.array(fc.float({ min: -100, max: 100, noNaN: true }), {
    minLength: 64,
    maxLength: 64,
  })
  fc.assert(
    fc.property(blocks, (values) => {
      const input = Float32Array.from(values)
      const encoded = encodeQ8(input)
      expect(encoded.length).toBe(68)
      const view = new DataView(encoded.buffer)
      input.forEach((value, i) => {
        const block = Math.floor(i / 32) * 34
        const scale = fromHalfBits(view.getUint16(block, true))
        const restored = scale * view.getInt8(block + 2 + (i % 32))
        // The scale itself is rounded to 11 bits, which weighs up to 127 times, and subnormal scales are coarser still.
        expect(Math.abs(restored - value)).toBeLessThanOrEqual(scale * 0.57 + 127 * 2 ** -24)
      })
    }),
  )
})
