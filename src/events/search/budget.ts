/** Limits the work of one search (D21), which shares the process with consensus. */
import { setImmediate } from 'node:timers/promises'
import { ConsensusError } from '../../consensus/engine.ts'

/**
 * Maximum number of steps of one search. CometBFT has no such limit: there, a search for everything keeps the node busy
 * for minutes.
 */
const MAX_STEPS = 1_000_000

/** Steps in one turn of the event loop: a few milliseconds. */
const STEPS_PER_TURN = 2000

/** Steps charged for a transaction whose events have to be derived. */
export const TRANSACTION_STEPS = 10

export type SearchBudget = {
  /** Counts steps and periodically yields to the event loop. Throws ConsensusError at the limit. */
  spend(steps: number): Promise<void>
}

/** A budget for one search; `signal` ends it when the client disconnects. */
export function createSearchBudget(signal: AbortSignal, maxSteps = MAX_STEPS): SearchBudget {
  let left = maxSteps
  let turn = STEPS_PER_TURN
  return {
    async spend(steps) {
      left -= steps
      turn -= steps
      if (left < 0)
        throw new ConsensusError(
          'the search is too broad: specify a hash, an address or a smaller range of heights',
        )
      if (turn > 0) return
      turn = STEPS_PER_TURN
      await setImmediate()
      if (signal.aborted) throw new ConsensusError('the client disconnected')
    },
  }
}
