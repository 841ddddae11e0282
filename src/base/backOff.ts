/** Delays between retries. */

const FIRST_MS = 250
const LONGEST_MS = 30_000

/**
 * Milliseconds to wait after attempt 0, 1, 2, …: exponential backoff up to 30 seconds, with random jitter of up to
 * half, so that operators that lost the same dispatcher do not all reconnect at once.
 */
export function backOff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20))
  return Math.round(full / 2 + (random() * full) / 2)
}
