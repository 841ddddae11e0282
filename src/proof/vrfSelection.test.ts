import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bigintToFixedBytes } from '../base/bytes.ts'
import { drawnValue, isSelected } from './vrfSelection.ts'

const MAX = 600_000

/** The smallest draw that lands on a value. */
function betaFor(value: number, max = MAX): Uint8Array {
  const numerator = BigInt(value) << 256n
  return bigintToFixedBytes((numerator + BigInt(max) - 1n) / BigInt(max), 32)
}

test('a draw lands evenly on 0 to max - 1', () => {
  expect(drawnValue(new Uint8Array(32), MAX)).toBe(0n)
  expect(drawnValue(new Uint8Array(32).fill(255), MAX)).toBe(BigInt(MAX - 1))
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX - 1 }), (value) => {
      expect(drawnValue(betaFor(value), MAX)).toBe(BigInt(value))
    }),
  )
})

test('the full range selects every draw, an empty one none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (beta) => {
      expect(isSelected(beta, { start: 0, end: MAX, max: MAX }, '', '')).toBe(true)
      expect(isSelected(beta, { start: 5, end: 5, max: MAX }, '', '')).toBe(false)
    }),
  )
})

// 3 percent of 600,000 are 18,000, 10 percent are 60,000.
test.each([
  ['', '', 300_000, 300_599],
  ['suspicion', '', 282_000, 318_599],
  ['suspicion', 'before', 282_000, 318_599],
  ['suspicion', 'after', 282_000, 318_599],
  ['malicious', '', 282_000, 318_599],
  ['malicious', 'after', 282_000, 318_599],
  ['malicious', 'before', 240_000, 360_599],
] as const)('tag "%s", position "%s": %i to %i are selected', (tag, position, first, last) => {
  const range = { start: 300_000, end: 300_600, max: MAX }
  const selects = (value: number) => isSelected(betaFor(value), range, tag, position)
  expect([first - 1, first, last, last + 1].map(selects)).toEqual([false, true, true, false])
})

// Holds D31.
test('a widening is exact where a percent is no whole number', () => {
  // 3 percent of 10 are 0.3: the range 5..6 grows to 4.7..6.3, which contains the integers 5 and 6.
  const range = { start: 5, end: 6, max: 10 }
  const selected = Array.from({ length: 10 }, (_, value) => value).filter((value) =>
    isSelected(betaFor(value, 10), range, 'suspicion', ''),
  )
  expect(selected).toEqual([5, 6])
})

test('a wider range never selects less', () => {
  const draws = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(draws, fc.nat(MAX), fc.nat(MAX), (beta, a, b) => {
      const range = { start: Math.min(a, b), end: Math.max(a, b), max: MAX }
      const order = [
        isSelected(beta, range, '', ''),
        isSelected(beta, range, 'malicious', 'after'),
        isSelected(beta, range, 'malicious', 'before'),
      ]
      expect(order).toEqual(order.toSorted((x, y) => Number(x) - Number(y)))
    }),
  )
})
