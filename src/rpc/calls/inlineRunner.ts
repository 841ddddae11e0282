/**
 * Answers short calls on the spot. The way to a worker thread and back costs ten times what a token's balance does, so a
 * call on the latest state first gets a millisecond of this thread; one that needs more starts anew in a worker (D17). So
 * that a flood of long calls cannot add up, each overrun keeps the next calls away for twenty times its length.
 */
import { createEngine } from '../../evm/createEngine.ts'
import { answerCall, OverrunError, type CallWorld } from './answer.ts'
import type { CallRunner } from './executor.ts'

export type InlineRunnerOptions = Omit<CallWorld, 'engine'> & {
  /** Mixed into the engine's hash tables; nobody else may know it. */
  readonly seed: bigint
  /** Milliseconds that only grow. */
  readonly now: () => number
  /** Where long calls go. */
  readonly workers: CallRunner
}

/** Longest time on this thread, in milliseconds, and how many times as long none follows after an overrun. */
const LONGEST_MS = 1
const REST = 20

/** A precompile cannot be stopped in the middle: dearer ones than a pairing of nothing are not even begun. */
const DEAREST_PRECOMPILE = 10_000n

/** Asked after so much gas, which takes a tenth of a millisecond, and whenever a frame opens or ends. */
const POLLING = { gas: 100_000n, frames: 1 }

/**
 * A call that was asked less often has not used its time itself, whatever the clock says: the process had to wait, or its
 * garbage was collected. To keep the next calls away for that would send hundreds of short ones to the workers.
 */
const LEAST_POLLS = 4

/** More data than this goes to a worker unread. */
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
    if (!isShort || start < restUntil || request.height !== chain.latestHeight())
      return workers(request)
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
