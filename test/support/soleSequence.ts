/** A session with one sequence, for tests that look at logits. */
import { openSession, type Session } from '../../src/inference/fixed/session.ts'
import type { RopeChoice } from '../../src/inference/fixed/ropeTables.ts'
import type { RowThreads } from '../../src/inference/fixed/rowThreads.ts'
import type { Weights } from '../../src/inference/fixed/weights.ts'

export type SoleSequence = Pick<Session, 'stepSizes' | 'close'> & {
  append(tokens: readonly number[]): void
  /** The address of the logits after the last token. */
  logits(): number
}

/** Opens a session and begins its sequence. Throws as both do. */
export function openSoleSequence(
  weights: Weights,
  rope: RopeChoice,
  capacity: number,
  threads?: RowThreads,
): SoleSequence {
  const session = openSession(weights, threads)
  const begin = () => {
    try {
      return session.begin(rope(capacity), capacity)
    } catch (error) {
      session.close()
      throw error
    }
  }
  const sequence = begin()
  let last = 0
  return {
    stepSizes: session.stepSizes,
    append(tokens) {
      session.append(tokens.map((token) => ({ sequence, token })))
      last = tokens.length - 1
    },
    logits: () => session.logits(last, 1),
    close: session.close,
  }
}
