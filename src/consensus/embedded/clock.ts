/** Time as the engine uses it, passed in so that tests and simulations hold the clock. */

export type Clock = {
  /** Wall clock, nanoseconds since 1970: for stamps only, it may jump. */
  now(): bigint
  /** Milliseconds that only ever grow: for waiting. */
  monotonic(): number
  /** Calls back once after a number of milliseconds, and returns what cancels that. */
  setTimer(milliseconds: number, action: () => void): () => void
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  monotonic: () => performance.now(),
  setTimer(milliseconds, action) {
    const timer = setTimeout(action, milliseconds)
    return () => clearTimeout(timer)
  },
}
