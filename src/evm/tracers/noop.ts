/** noopTracer: records nothing and returns an empty object. */
import type { TracerKind } from './tracer.ts'

/** The tracer. */
export const noopTracer: TracerKind = {
  watchesSteps: false,
  start: () => ({ hooks: {}, result: () => ({}) }),
}
