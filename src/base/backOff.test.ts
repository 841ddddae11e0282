import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backOff } from './backOff.ts'

test('waiting times double from a quarter of a second up to half a minute', () => {
  const longest = (attempt: number) => backOff(attempt, () => 1)
  expect([0, 1, 2, 6, 7, 8, 1000].map(longest)).toEqual([
    250, 500, 1000, 16_000, 30_000, 30_000, 30_000,
  ])
})

test('up to half of a waiting time is random', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const full = backOff(attempt, () => 1)
      const drawn = backOff(attempt, () => random)
      expect(drawn).toBeGreaterThanOrEqual(full / 2)
      expect(drawn).toBeLessThanOrEqual(full)
    }),
  )
})
