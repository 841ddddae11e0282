/** Bounds on the times of blocks that other validators propose, and of the first block after a start (D95). */
import { UserError } from '../../base/errors.ts'

const MILLISECOND = 1_000_000n
const SECOND = 1000n * MILLISECOND
const DAY_MS = 86_400_000

/** By how much a block of a chain whose time is ahead already may be later than the one before. */
const SMALL_STEP = 10n * SECOND

/** The last block may be this old when a node starts: a year of downtime, and no more. */
const MAX_GAP_DAYS = 366

/** A gap that is worth a word, in days. */
const NOTABLE_GAP_DAYS = 7

/** Milliseconds between two times in nanoseconds. */
const millisecondsFrom = (from: bigint, to: bigint): number => Number((to - from) / MILLISECOND)

export type TimeBoundOptions = {
  readonly now: () => bigint
  /** Maximum time of a block ahead of this clock, in milliseconds (consensus.max-clock-jump). */
  readonly maxJump: number
  readonly onRefused: (milliseconds: number) => void
}

/**
 * Whether a proposed block's time is acceptable after the last block's; both in nanoseconds since 1970. The time of a
 * block is the median of votes, so a refusal means that the clocks of a third of the validators are wrong, or our own.
 */
export type TimeBound = (timeNs: bigint, lastTimeNs: bigint) => boolean

/** The bound by a clock. */
export function createTimeBound({ now, maxJump, onRefused }: TimeBoundOptions): TimeBound {
  return (timeNs, lastTimeNs) => {
    const ahead = millisecondsFrom(now(), timeNs)
    // A chain that is ahead since earlier goes on in small steps until the clocks have caught up.
    if (ahead <= maxJump || timeNs <= lastTimeNs + SMALL_STEP) return true
    onRefused(ahead)
    return false
  }
}

/**
 * What is notable about the clock at a start, in words. Throws UserError when the last block is older than a year by it,
 * unless that is accepted: block times never go back.
 */
export function checkClockAtStart(
  lastTimeNs: bigint,
  nowNs: bigint,
  isAccepted: boolean,
): string | undefined {
  const days = millisecondsFrom(lastTimeNs, nowNs) / DAY_MS
  const since = `the last block is ${Math.round(days)} days old by the clock of this machine`
  if (days > MAX_GAP_DAYS && !isAccepted)
    throw new UserError(
      since,
      'Block times never go back, so a wrong clock would stay in the chain. Correct the clock; if it is right, start once with --consensus.accept-clock true.',
    )
  if (days > NOTABLE_GAP_DAYS) return since
  const ahead = -days * DAY_MS
  return ahead > 60_000
    ? `the last block is ${Math.round(ahead / 1000)} s ahead of the clock of this machine: block times grow by milliseconds until the clock has caught up`
    : undefined
}
