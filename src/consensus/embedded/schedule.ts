/**
 * When blocks are made (D23): soon after a transaction arrives, and every interval without one. Under load the pause
 * before a block is twice the time the last one took, three windows at most: more transactions then share the fixed
 * costs of a block.
 */
import type { Clock } from '../../base/clock.ts'

export type ScheduleOptions = {
  readonly clock: Clock
  /** Milliseconds from a transaction's arrival to the block that includes it. */
  readonly gatherWindow: number
  /** Milliseconds from a block to an empty one. */
  readonly blockInterval: number
  /** Makes the block that is due. Must not reject. */
  readonly produce: () => Promise<void>
  readonly hasTransactions: () => boolean
}

export type Schedule = {
  /** Makes the first block at once and keeps making blocks. */
  start(): void
  /** A transaction arrived. */
  notify(): void
  /** Resolves when the current block is done; no other follows. */
  stop(): Promise<void>
}

/** Minimum pause before the next block, as a multiple of the time the last one took, and maximum pause, in windows. */
const REST_PER_WORK = 2
const MOST_WINDOWS = 3

/** A schedule based on the monotonic clock. */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { clock, gatherWindow, blockInterval, produce, hasTransactions } = options
  let dueAt = 0
  let restsUntil = 0
  let cancelTimer = () => {}
  let inHand: Promise<void> | undefined
  let isStopped = false

  function wait(): void {
    cancelTimer()
    if (isStopped || inHand !== undefined) return
    const wakesAt = Math.max(dueAt, restsUntil)
    cancelTimer = clock.setTimer(Math.max(0, wakesAt - clock.monotonic()), fire)
  }

  function fire(): void {
    dueAt = Number.POSITIVE_INFINITY
    const started = clock.monotonic()
    inHand = produce().then(() => {
      inHand = undefined
      const now = clock.monotonic()
      restsUntil = now + Math.min(REST_PER_WORK * (now - started), MOST_WINDOWS * gatherWindow)
      // Transactions left over, or that arrived meanwhile, get the next block.
      dueAt = Math.min(dueAt, now + (hasTransactions() ? gatherWindow : blockInterval))
      wait()
    })
  }

  return {
    start() {
      dueAt = clock.monotonic()
      wait()
    },
    notify() {
      const due = clock.monotonic() + gatherWindow
      if (due >= dueAt) return
      dueAt = due
      wait()
    },
    async stop() {
      isStopped = true
      cancelTimer()
      await inHand
    },
  }
}
