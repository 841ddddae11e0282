/** Long work that can be done in one go or in short stretches, as whoever drives it likes. */
import type { Slices } from './slices.ts'

/** Work that yields wherever others may run. What it returns is its result. */
export type Steps<T> = Generator<undefined, T, undefined>

/** All of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** All of it, with the others served between stretches. `around` runs each step. */
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
