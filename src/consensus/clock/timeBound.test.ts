import { expect, test } from 'vitest'
import { UserError } from '../../base/errors.ts'
import { checkClockAtStart, createTimeBound } from './timeBound.ts'

const SECOND = 1_000_000_000n
const DAY = 86_400n * SECOND
const NOW = 1_700_000_000n * SECOND

test('a block far ahead of the clock is refused, unless the chain was there before', () => {
  const refused: number[] = []
  const isTimely = createTimeBound({
    now: () => NOW,
    maxJump: 3_600_000,
    onRefused: (ms) => refused.push(ms),
  })
  expect(isTimely(NOW + 3600n * SECOND, NOW)).toBe(true)
  expect(isTimely(NOW - 400n * DAY, NOW - 401n * DAY)).toBe(true)
  expect(isTimely(NOW + 400n * DAY, NOW)).toBe(false)
  expect(refused).toEqual([400 * 86_400_000])
  expect(isTimely(NOW + 400n * DAY + 1_000_000n, NOW + 400n * DAY)).toBe(true)
  expect(isTimely(NOW + 401n * DAY, NOW + 400n * DAY)).toBe(false)
})

test('a start after a year is fine, and one after more wants to be confirmed', () => {
  expect(checkClockAtStart(NOW - DAY, NOW, false)).toBeUndefined()
  expect(checkClockAtStart(NOW - 365n * DAY, NOW, false)).toContain('365 days old')
  expect(() => checkClockAtStart(NOW - 400n * DAY, NOW, false)).toThrow(UserError)
  expect(checkClockAtStart(NOW - 400n * DAY, NOW, true)).toContain('400 days old')
})

test('a chain ahead of the clock is told', () => {
  expect(checkClockAtStart(NOW + 59n * SECOND, NOW, false)).toBeUndefined()
  expect(checkClockAtStart(NOW + 90n * SECOND, NOW, false)).toContain('90 s ahead')
})
