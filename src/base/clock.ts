/** Time, injected wherever waits or timestamps must be tested: tests and simulations control the clock. */

export type Clock = {
  /** Wall clock, nanoseconds since 1970. For timestamps only: it may jump. */
  now(): bigint
  /** Monotonic milliseconds: for waits, and for deadlines that must not move when the wall clock is set. */
  monotonic(): number
  /** Calls back once after a number of milliseconds, and returns a function that cancels it. */
  setTimer(milliseconds: number, action: () => void): () => void
  /** Resolves after a number of milliseconds. */
  sleep(milliseconds: number): Promise<void>
}

/** Maximum delay of a Node timer; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

function setTimer(milliseconds: number, action: () => void): () => void {
  const due = performance.now() + milliseconds
  const arm = (): NodeJS.Timeout => {
    const left = Math.max(due - performance.now(), 0)
    return left > MAX_DELAY_MS
      ? setTimeout(() => (timer = arm()), MAX_DELAY_MS)
      : setTimeout(action, left)
  }
  let timer = arm()
  return () => clearTimeout(timer)
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  monotonic: () => performance.now(),
  setTimer,
  sleep: (milliseconds) => new Promise((resolve) => setTimer(milliseconds, resolve)),
}
