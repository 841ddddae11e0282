/** Writing a state trie in parts, one with each block, so that no block waits for all of it. */
import type { Steps } from '../../base/steps.ts'
import { removeStale, writeJournaled, type TrieTables } from './journal.ts'
import { unstoredNodes, type NodeWrite, type TrieImage } from './unstored.ts'

/** A part that is written but not committed yet. */
export type CheckpointPart = {
  /** Whether the tables hold the whole checkpoint with this part. */
  readonly isLast: boolean
  /** To be called once the part is committed; never if it was rolled back. */
  finish(): void
}

export type Checkpoint = {
  /** Inside a write transaction: writes up to `limit` records. A part that was rolled back is written again. */
  writePart(limit: number): Steps<CheckpointPart>
}

/** Number of records found in one step: well below a millisecond's work. */
const WRITES_PER_STEP = 64

/** The checkpoint of a height: of these tries, whose roots must be kept until it is complete. */
export function createCheckpoint(
  tables: TrieTables,
  height: number,
  images: readonly TrieImage[],
): Checkpoint {
  const rest = unstoredNodes(images)
  let number = 0
  let part: NodeWrite[] = []
  let isAtEnd = false
  return {
    *writePart(limit) {
      while (!isAtEnd && part.length < limit) {
        const next = rest.next()
        if (next.done === true) isAtEnd = true
        else part.push(next.value)
        if (part.length % WRITES_PER_STEP === 0) yield
      }
      const next = yield* writeJournaled(tables, height, number, part)
      removeStale(tables, height, 2 * (next - number))
      return {
        isLast: isAtEnd,
        finish() {
          for (const { branch } of part) if (branch !== undefined) branch.isStored = true
          part = []
          number = next
        },
      }
    },
  }
}
