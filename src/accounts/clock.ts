/** Time that only goes forward: unlocks must end on time even when someone sets the wall clock back. */
import { setTimeout as sleepFor } from 'node:timers/promises'

export type MonotonicClock = {
  /** Milliseconds since some moment. */
  now(): number
  /** Calls back once, after so many milliseconds; the answer cancels it. Does not keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void
  sleep(milliseconds: number): Promise<void>
}

/** The longest delay that a timer of Node takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

function after(milliseconds: number, callback: () => void): () => void {
  const due = performance.now() + milliseconds
  const arm = (): NodeJS.Timeout => {
    const left = Math.max(due - performance.now(), 0)
    const isLastStep = left <= MAX_DELAY_MS
    return setTimeout(
      () => {
        if (isLastStep) callback()
        else timer = arm()
      },
      Math.min(left, MAX_DELAY_MS),
    ).unref()
  }
  let timer = arm()
  return () => clearTimeout(timer)
}

/** The clock of this process. */
export const systemClock: MonotonicClock = {
  now: () => performance.now(),
  after,
  sleep: (milliseconds) => sleepFor(milliseconds),
}
