import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a delay that no single timer takes ends on time all the same', () => {
  const action = vi.fn<() => void>()
  systemClock.setTimer(LONGEST_TIMER_MS + 5000, action)
  vi.advanceTimersByTime(LONGEST_TIMER_MS + 4999)
  expect(action).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(action).toHaveBeenCalledOnce()
})

test('a cancelled timer never fires, however far it has come', () => {
  const action = vi.fn<() => void>()
  const cancel = systemClock.setTimer(LONGEST_TIMER_MS + 5000, action)
  vi.advanceTimersByTime(LONGEST_TIMER_MS + 1)
  cancel()
  vi.advanceTimersByTime(10_000)
  expect(action).not.toHaveBeenCalled()
})

test('setting the wall clock back delays no timer', () => {
  const action = vi.fn<() => void>()
  systemClock.setTimer(1000, action)
  vi.setSystemTime(0)
  vi.advanceTimersByTime(1000)
  expect(action).toHaveBeenCalledOnce()
})
