/** A clock that is stopped until a test moves it. */
import type { Clock } from '../../src/base/clock.ts'

export type FakeClock = Clock & {
  /** Moves wall clock and monotonic clock, and runs the timers that come due, in order, with what follows from each. */
  advance(milliseconds: number): Promise<void>
  /** Moves only the wall clock, as an operator or NTP would. */
  setWallClock(nanoseconds: bigint): void
}

// Promises that follow from a timer are done before the next round of the event loop.
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Starts at a wall-clock time in nanoseconds. */
export function createFakeClock(start: bigint): FakeClock {
  let wall = start
  let monotonic = 0
  const timers = new Set<{ at: number; action: () => void }>()
  function setTimer(milliseconds: number, action: () => void): () => void {
    const timer = { at: monotonic + milliseconds, action }
    timers.add(timer)
    return () => timers.delete(timer)
  }
  return {
    now: () => wall,
    monotonic: () => monotonic,
    setTimer,
    sleep: (milliseconds) => new Promise((resolve) => setTimer(milliseconds, resolve)),
    async advance(milliseconds) {
      const end = monotonic + milliseconds
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        const step = (due?.at ?? end) - monotonic
        monotonic += step
        wall += BigInt(Math.round(step * 1_000_000))
        if (due === undefined) return
        timers.delete(due)
        due.action()
        await settled()
      }
    },
    setWallClock(nanoseconds) {
      wall = nanoseconds
    },
  }
}
