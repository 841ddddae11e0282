/** The time of a chain for development: the machine's, moved by hand. */
import { systemClock, type Clock } from '../../base/clock.ts'

const SECOND = 1_000_000_000n

export type MovableClock = {
  readonly clock: Clock
  /** Moves the time forward, and gives by how much it was moved in all. Seconds. */
  increase(seconds: bigint): bigint
  /** The next block has this time, in seconds since 1970, and the clock goes on from there. */
  setNext(seconds: bigint): void
  /** The clock goes on from this instant, in nanoseconds since 1970. Forgets what the next block was to have. */
  set(timeNs: bigint): void
  /** Each block comes so many seconds after the one before; undefined for what the clock says. Whether it was so. */
  setStep(seconds: bigint | undefined): boolean
  /** The time of a block that is made now, behind one of `last` seconds: whole seconds, each block's its own. */
  next(last: bigint): bigint
}

/** A clock that is not moved yet. */
export function createMovableClock(base: Clock = systemClock): MovableClock {
  let offset = 0n
  let wanted: bigint | undefined
  let step: bigint | undefined
  const now = (): bigint => base.now() + offset
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
    next(last) {
      const earliest = (last + 1n) * SECOND
      if (wanted !== undefined) {
        const timeNs = wanted > earliest ? wanted : earliest
        offset = timeNs - base.now()
        wanted = undefined
        return timeNs
      }
      if (step !== undefined) {
        const timeNs = (last + (step > 1n ? step : 1n)) * SECOND
        offset = timeNs - base.now()
        return timeNs
      }
      const whole = (now() / SECOND) * SECOND
      return whole > earliest ? whole : earliest
    },
  }
}
