/** How much one search may look at: it shares the process with consensus. */
import { setImmediate } from 'node:timers/promises'
import { ConsensusError } from '../../consensus/engine.ts'

/** Steps of one search. CometBFT has no such limit: there a search of everything keeps the node busy for minutes. */
const MAX_STEPS = 1_000_000

/** Steps between two turns of the event loop: a few milliseconds. */
const STEPS_PER_TURN = 2000

/** Steps of one transaction whose events have to be derived. */
export const TRANSACTION_STEPS = 10

export type SearchBudget = {
  /** Counts steps and lets others work from time to time. Throws ConsensusError at the limit. */
  spend(steps: number): Promise<void>
}

/** A budget for one search; `signal` ends it when the client is gone. */
export function createSearchBudget(signal: AbortSignal, maxSteps = MAX_STEPS): SearchBudget {
  let left = maxSteps
  let turn = STEPS_PER_TURN
  return {
    async spend(steps) {
      left -= steps
      turn -= steps
      if (left < 0)
        throw new ConsensusError(
          'the search looks at too much: name a hash, an address or a smaller range of heights',
        )
      if (turn > 0) return
      turn = STEPS_PER_TURN
      await setImmediate()
      if (signal.aborted) throw new ConsensusError('the client is gone')
    },
  }
}
