/** Long work in short stretches: between two of them, other requests are served. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Longest stretch, in milliseconds: a quarter of what anybody shall ever wait for the event loop because of us. */
const SLICE_MS = 5

export type Slices = {
  /** Whether the stretch has lasted long enough. */
  isOver(): boolean
  /** Lets the others run and starts the next stretch. */
  next(): Promise<void>
}

/** For whoever serves nobody else meanwhile: one stretch without an end. */
export const UNDIVIDED: Slices = { isOver: () => false, next: async () => {} }

/** Starts the first stretch. */
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
