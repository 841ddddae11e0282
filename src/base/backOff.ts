/** Waiting times between attempts. */

const FIRST_MS = 250
const LONGEST_MS = 30_000

/**
 * Milliseconds to wait after attempt 0, 1, 2, …: doubling up to 30 seconds, and a random part of up to half, so that operators
 * who lost the same dispatcher do not come back together.
 */
export function backOff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 20))
  return Math.round(full / 2 + (random() * full) / 2)
}
