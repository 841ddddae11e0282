/** Whether the vector clock of a result may be stored (D28, D73). */
import type { VectorClock } from '../../proof/job/job.ts'
import { countOf, includesClock, MAX_COUNT, MAX_PARTICIPANTS } from '../../proof/job/vectorClock.ts'

/** Counts of participants, as numbers of any size. */
export type ClockCounts = ReadonlyMap<string, bigint>

const PARTICIPANT = /^[\x21-\x7e]+$/

type Handed = { readonly operator: string; readonly clock: VectorClock }

/** The participants that a result counts other than its hand-out did, apart from the operator itself. */
export function strangersOf(clock: VectorClock, { operator, clock: handed }: Handed): string[] {
  return Object.keys(clock)
    .filter((id) => id !== operator && countOf(clock, id) !== countOf(handed, id))
    .slice(0, MAX_PARTICIPANTS)
}

/**
 * What is wrong with the clock of a result, or undefined. It must be the clock of the hand-out with the operator's own
 * events counted on. Others may be further than in the hand-out only up to `seen`, the counts that the dispatcher has
 * given out at all: operators of former releases merge the clocks of their jobs.
 */
export function clockFault(
  clock: VectorClock,
  { operator, clock: handed }: Handed,
  seen: ClockCounts,
): string | undefined {
  const participants = Object.keys(clock)
  if (participants.length > MAX_PARTICIPANTS) return 'the clock has too many participants'
  if (!participants.every((id) => PARTICIPANT.test(id)))
    return 'the clock has a malformed participant'
  if (!includesClock(clock, handed)) return 'the clock is behind that of the job'
  const own = countOf(clock, operator)
  if (own <= countOf(handed, operator)) return "the clock does not count the operator's own event"
  if (own > MAX_COUNT) return `the clock counts more than ${MAX_COUNT} events of the operator`
  for (const id of strangersOf(clock, { operator, clock: handed })) {
    const limit = seen.get(id)
    if (limit === undefined)
      return 'the clock names a participant that the dispatcher did not hand out'
    if (countOf(clock, id) > limit)
      return 'the clock counts more events of a participant than the dispatcher handed out'
  }
  return undefined
}
