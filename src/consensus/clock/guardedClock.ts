/**
 * A wall clock that cannot carry the chain's time away (D95): block times never go back, so one wrong reading would stay
 * for good.
 */
import os from 'node:os'
import type { Clock } from '../../base/clock.ts'

const MILLISECOND = 1_000_000n

/** A step of the wall clock that is worth a warning, in milliseconds. */
const NOTABLE_STEP = 5_000

/** Interval between warnings while the wall clock is not believed, in milliseconds. */
const REMIND = 60_000

export type GuardedClockOptions = {
  /** Maximum jump ahead, in milliseconds (consensus.max-clock-jump). */
  readonly maxJump: number
  /** The clock was set by so many milliseconds, and is followed. */
  readonly onStep: (milliseconds: number) => void
  /** The clock is so many milliseconds further ahead than is allowed, and is not followed. */
  readonly onHeld: (milliseconds: number) => void
  /** Milliseconds since the machine was started, which includes those in which it slept. */
  readonly uptime?: () => number
}

/**
 * The clock, as long as it moves with the time since the start of this process. One that jumps further ahead than
 * allowed is not followed: time goes on from before the jump until the clock is back, or the process is started again.
 */
export function createGuardedClock(clock: Clock, options: GuardedClockOptions): Clock {
  const { maxJump, onStep, onHeld, uptime = () => os.uptime() * 1000 } = options
  const [monotonicStart, uptimeStart] = [clock.monotonic(), uptime()]
  const wallStart = clock.now()
  // The monotonic clock stands still while the machine sleeps.
  const elapsed = (): number => Math.max(clock.monotonic() - monotonicStart, uptime() - uptimeStart)
  /** How far the wall clock has been set since the start, and the furthest ahead that was believed. Milliseconds. */
  let offset = 0
  let furthest = 0
  let remindedAt = Number.NEGATIVE_INFINITY

  return {
    ...clock,
    now() {
      const [wall, passed] = [clock.now(), elapsed()]
      const next = Number((wall - wallStart) / MILLISECOND) - passed
      if (next <= furthest + maxJump) {
        if (Math.abs(next - offset) > NOTABLE_STEP) onStep(Math.round(next - offset))
        offset = next
        furthest = Math.max(furthest, next)
        return wall
      }
      if (clock.monotonic() - remindedAt >= REMIND) {
        remindedAt = clock.monotonic()
        onHeld(Math.round(next - furthest))
      }
      return wallStart + BigInt(Math.round(furthest + passed)) * MILLISECOND
    },
  }
}
