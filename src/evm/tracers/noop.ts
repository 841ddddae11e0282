/** noopTracer: sees nothing and says so. */
import type { TracerKind } from './tracer.ts'

/** The tracer. */
export const noopTracer: TracerKind = {
  watchesSteps: false,
  start: () => ({ hooks: {}, result: () => ({}) }),
}
