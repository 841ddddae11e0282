/** The node's clock: the machine's, unless it jumps (D95). */
import { systemClock, type Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { NodeConfig } from '../config/node.ts'
import { createGuardedClock } from '../consensus/clock/guardedClock.ts'
import { checkClockAtStart, createTimeBound, type TimeBound } from '../consensus/clock/timeBound.ts'
import type { ChainStore } from '../ledger/store.ts'

export type ClockOptions = {
  readonly config: Pick<NodeConfig, 'consensus.max-clock-jump' | 'consensus.accept-clock'>
  readonly store: Pick<ChainStore, 'isEmpty' | 'reader'>
  readonly log: Log
}

/** The clock of this run, and which times of proposed blocks it allows. Throws UserError when it cannot be right. */
export function openClock(
  { config, store, log }: ClockOptions,
  clock: Clock = systemClock,
): { readonly clock: Clock; readonly isTimely: TimeBound } {
  const last = store.isEmpty() ? undefined : store.reader.header(store.reader.latestHeight())
  if (last !== undefined) {
    const isAccepted = config['consensus.accept-clock']
    const notable = checkClockAtStart(last.timeNs, clock.now(), isAccepted)
    if (notable !== undefined) log.warn({ height: last.height }, notable)
  }
  const maxJump = config['consensus.max-clock-jump']
  const guarded = createGuardedClock(clock, {
    maxJump,
    onStep: (milliseconds) => log.warn({ milliseconds }, "the machine's clock was set"),
    onHeld: (milliseconds) =>
      log.error(
        { milliseconds, maxJump },
        "the machine's clock jumped ahead and is not followed: correct it, or restart the node if it is right",
      ),
  })
  return {
    clock: guarded,
    isTimely: createTimeBound({
      now: guarded.now,
      maxJump,
      onRefused: (milliseconds) =>
        log.error(
          { milliseconds, maxJump },
          'a proposed block is ahead of the clock of this machine and gets no vote: check the clock here, then those of the other validators (consensus.max-clock-jump)',
        ),
    }),
  }
}
