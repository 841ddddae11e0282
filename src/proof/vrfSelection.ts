/** Decides by a draw (D31) whether an operator's answer counts. Integers only. */
import { bytesToBigint } from '../base/bytes.ts'

/** The part of 0..max that belongs to an operator; `end` is not part of it. */
export type SelectionRange = {
  readonly start: number
  readonly end: number
  readonly max: number
}

/** Why a user is watched more closely; '' for an ordinary job. */
export type ReviewTag = '' | 'suspicion' | 'malicious'

/** Position of a watched job relative to the tagged one, which counts as `after`; '' for an ordinary job. */
export type ReviewPosition = '' | 'before' | 'after'

/** Percent of `max` by which the range grows on each side. */
function widening(tag: ReviewTag, position: ReviewPosition): bigint {
  if (tag === '') return 0n
  return tag === 'malicious' && position === 'before' ? 10n : 3n
}

/** The draw's position on the number line: floor(beta * max / 2^256). The bias is below max / 2^256. `beta` is 32 bytes. */
export function drawnValue(beta: Uint8Array, max: number): bigint {
  return (bytesToBigint(beta) * BigInt(max)) >> 256n
}

/**
 * Whether the drawn value lies in [start - w, end + w), w = 0, 3 or 10 percent of `max`: suspicion 3, malicious 10 for
 * the jobs before the tagged one and 3 from it on. The line ends at 0 and `max`, as in the older network. Both sides
 * are scaled by one hundred, so nothing is rounded.
 */
export function isSelected(
  beta: Uint8Array,
  range: SelectionRange,
  tag: ReviewTag,
  position: ReviewPosition,
): boolean {
  const value = drawnValue(beta, range.max) * 100n
  const margin = widening(tag, position) * BigInt(range.max)
  return value >= BigInt(range.start) * 100n - margin && value < BigInt(range.end) * 100n + margin
}
