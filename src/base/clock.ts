/** Time, passed in wherever waiting or stamping must be tested: tests and simulations hold the clock. */

export type Clock = {
  /** Wall clock, nanoseconds since 1970: for stamps only, it may jump. */
  now(): bigint
  /** Milliseconds that only ever grow: for waiting, and for ends that must not move when someone sets the wall clock. */
  monotonic(): number
  /** Calls back once after a number of milliseconds, and returns what cancels that. */
  setTimer(milliseconds: number, action: () => void): () => void
  /** Resolves after a number of milliseconds. */
  sleep(milliseconds: number): Promise<void>
}

/** The longest delay that a timer of Node takes; a longer one would fire at once. */
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
