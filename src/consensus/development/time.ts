/** The clock of a development chain: the machine's, moved by hand. */
import { systemClock, type Clock } from '../../base/clock.ts'

const SECOND = 1_000_000_000n

export type MovableClock = {
  readonly clock: Clock
  /** Moves the time forward, and returns the total offset. Seconds. */
  increase(seconds: bigint): bigint
  /** The next block has this time, in seconds since 1970, and the clock continues from there. */
  setNext(seconds: bigint): void
  /** The clock continues from this instant, in nanoseconds since 1970. Discards the time set for the next block. */
  set(timeNs: bigint): void
  /**
   * Each block comes so many seconds after the previous one; undefined follows the clock. Returns whether a step was
   * set before.
   */
  setStep(seconds: bigint | undefined): boolean
  /** The time of a block made now, after one at `last` seconds: whole seconds, distinct for each block. */
  next(last: bigint): bigint
  /** What `next` would return now; it moves nothing. */
  peek(last: bigint): bigint
}

/** A clock that has not been moved. */
export function createMovableClock(base: Clock = systemClock): MovableClock {
  let offset = 0n
  let wanted: bigint | undefined
  let step: bigint | undefined
  const now = (): bigint => base.now() + offset

  function peek(last: bigint): bigint {
    const earliest = (last + 1n) * SECOND
    if (wanted !== undefined) return wanted > earliest ? wanted : earliest
    if (step !== undefined) return (last + (step > 1n ? step : 1n)) * SECOND
    const whole = (now() / SECOND) * SECOND
    return whole > earliest ? whole : earliest
  }

  return {
    clock: { ...base, now },
    increase(seconds) {
      offset += seconds * SECOND
      return offset / SECOND
    },
    setNext(seconds) {
      wanted = seconds * SECOND
    },
    set(timeNs) {
      offset = timeNs - base.now()
      wanted = undefined
    },
    setStep(seconds) {
      const wasSet = step !== undefined
      step = seconds
      return wasSet
    },
    peek,
    next(last) {
      const timeNs = peek(last)
      if (wanted !== undefined || step !== undefined) offset = timeNs - base.now()
      wanted = undefined
      return timeNs
    },
  }
}
