/**
 * When blocks are made (D23): soon after a transaction arrives, and every interval without one. Under load each rests as long
 * as the last one took twice, three windows at most: what a block costs beside its transactions is then shared by more.
 */
import type { Clock } from '../../base/clock.ts'

export type ScheduleOptions = {
  readonly clock: Clock
  /** Milliseconds from a transaction's arrival to the block that takes it. */
  readonly gatherWindow: number
  /** Milliseconds from a block to an empty one. */
  readonly blockInterval: number
  /** Makes what is due. Must not reject. */
  readonly produce: () => Promise<void>
  readonly hasTransactions: () => boolean
}

export type Schedule = {
  /** Makes the first block at once and goes on. */
  start(): void
  /** A transaction arrived. */
  notify(): void
  /** Resolves when the block in hand is done; no other follows. */
  stop(): Promise<void>
}

/** How long the next block rests at least, in what the last one took, and at most, in windows. */
const REST_PER_WORK = 2
const MOST_WINDOWS = 3

/** A schedule that waits by the monotonic clock. */
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
      // What was left over, or came meanwhile, gets the next block.
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
