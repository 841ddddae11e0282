/** Long work in short slices: between two of them, other requests are served. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Maximum length of a slice, in milliseconds: a quarter of the delay that we may ever cause in the event loop. */
const SLICE_MS = 5

export type Slices = {
  /** Whether the slice's time is used up. */
  isOver(): boolean
  /** Yields to other work and starts the next slice. */
  next(): Promise<void>
}

/** For callers that serve nothing else meanwhile: one slice without an end. */
export const UNDIVIDED: Slices = { isOver: () => false, next: async () => {} }

/** Starts the first slice. */
export function createSlices(): Slices {
  let start = performance.now()
  return {
    isOver: () => performance.now() - start > SLICE_MS,
    async next() {
      await yieldToOthers()
      start = performance.now()
    },
  }
}
