/**
 * Vector clocks (D28): the number of events of each participant that an event has seen, as decimal strings under
 * participant ids (lower-case addresses). All functions are pure.
 */
import type { VectorClock } from './job.ts'

/** Maximum number of participants of one clock (D73). */
export const MAX_PARTICIPANTS = 256

/** The greatest count that a clock may have (D73): its successor still fits every format that carries one. */
export const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER)

/** The count of a participant; 0 when the clock does not name it. */
export function countOf(clock: VectorClock, participant: string): bigint {
  return Object.hasOwn(clock, participant) ? BigInt(clock[participant] ?? 0) : 0n
}

/** The pointwise maximum of both clocks. */
export function mergeClocks(a: VectorClock, b: VectorClock): VectorClock {
  const merged = new Map(Object.entries(a))
  for (const [participant, count] of Object.entries(b))
    if (BigInt(count) > countOf(a, participant)) merged.set(participant, count)
  return Object.fromEntries(merged)
}

/**
 * The clock of a participant's next event after it has seen `seen`: the maximum of both, its own entry one higher than
 * before.
 */
export function advanceClock(
  own: VectorClock,
  participant: string,
  seen: VectorClock = {},
): VectorClock {
  const merged = mergeClocks(own, seen)
  return { ...merged, [participant]: String(countOf(merged, participant) + 1n) }
}

/** Whether everything that `earlier` has seen was also seen by `later`. */
export function includesClock(later: VectorClock, earlier: VectorClock): boolean {
  return Object.entries(earlier).every(
    ([participant, count]) => countOf(later, participant) >= BigInt(count),
  )
}
