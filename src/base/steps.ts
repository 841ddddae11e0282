/** Long work that the caller can run in one go or in short slices. */
import type { Slices } from './slices.ts'

/** Work that yields wherever other work may run. Its return value is the result. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Runs all of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs all of it, yielding to other work between slices. `around` runs each step. */
export async function runInSlices<T>(
  steps: Steps<T>,
  slices: Slices,
  around: (step: () => IteratorResult<undefined, T>) => IteratorResult<undefined, T> = (step) =>
    step(),
): Promise<T> {
  for (;;) {
    const step = around(() => steps.next())
    if (step.done === true) return step.value
    if (slices.isOver()) await slices.next()
  }
}
