/**
 * Answers short calls on this thread. The round trip to a worker thread costs ten times what a token's balance does, so
 * a call on the latest state first gets a millisecond of this thread; one that needs more starts over in a worker
 * (D17). So that a flood of long calls cannot add up, each overrun sends the next calls to the workers for twenty times
 * its length.
 */
import { createEngine } from '../../evm/createEngine.ts'
import { answerCall, OverrunError, type CallWorld } from './answer.ts'
import type { CallRunner } from './executor.ts'

export type InlineRunnerOptions = Omit<CallWorld, 'engine'> & {
  /** Mixed into the engine's hash tables; must stay secret. */
  readonly seed: bigint
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  /** Runs long calls. */
  readonly workers: CallRunner
}

/** Maximum time on this thread, in milliseconds, and for how many times as long no call runs here after an overrun. */
const LONGEST_MS = 1
const REST = 20

/** A precompile cannot be interrupted: those that cost more than an empty pairing are not even started. */
const DEAREST_PRECOMPILE = 10_000n

/** Polled after this much gas, which takes a tenth of a millisecond, and whenever a frame opens or ends. */
const POLLING = { gas: 100_000n, frames: 1 }

/**
 * A call that was polled less often has not used up the time itself, whatever the clock says: the process had to wait,
 * or garbage was collected. Sending the next calls away for that would send hundreds of short ones to the workers.
 */
const LEAST_POLLS = 4

/** Calls with more data go to a worker without a look. */
const LONGEST_DATA = 16_384

/** A runner that tries each call here first. */
export function createInlineRunner(options: InlineRunnerOptions): CallRunner {
  const { chain, seed, now, workers } = options
  let deadline = 0
  let restUntil = 0
  let polls = 0

  const engine = createEngine({
    seed,
    polling: POLLING,
    poll(precompileGas) {
      polls++
      const isOver = polls > LEAST_POLLS && now() > deadline
      if (precompileGas > DEAREST_PRECOMPILE || isOver) throw new OverrunError()
    },
  })
  const world = { ...options, engine }

  return (request) => {
    const start = now()
    const isShort = request.fields.data.length <= LONGEST_DATA
    const height = request.pending ? request.height - 1 : request.height
    if (!isShort || start < restUntil || height !== chain.latestHeight()) return workers(request)
    deadline = start + LONGEST_MS
    polls = 0
    try {
      return answerCall(world, request)
    } catch (error) {
      if (!(error instanceof OverrunError)) throw error
    }
    const end = now()
    restUntil = end + REST * (end - start)
    return workers(request)
  }
}
