/** An observed engine: the same one for many transactions, with a different tracer for each. */
import { createEngine } from '../createEngine.ts'
import type { Hooks } from '../hooks.ts'
import type { Engine } from '../types.ts'
import type { StepListener } from '../wasm/tracing.ts'
import type { Tracer, TracerKind } from './tracer.ts'

export type TracedEngine = {
  readonly engine: Engine
  /** Reports to this tracer from now on. */
  observe(tracer: Pick<Tracer, 'hooks' | 'listener'>): void
}

/** A new engine for tracers of one kind. `poll` is called periodically, and throws to end the execution. */
export function createTracedEngine(
  { watchesSteps, listensToSteps }: Pick<TracerKind, 'watchesSteps' | 'listensToSteps'>,
  options: {
    readonly seed?: bigint
    readonly poll?: () => void
    readonly mostKept?: number
  } = {},
): TracedEngine {
  let current: Hooks = {}
  let listener: StepListener | undefined
  const engine = createEngine({
    ...options,
    ...(watchesSteps && { onStep: (step) => current.onStep?.(step) }),
    ...(listensToSteps === true && {
      listener: {
        step: (...step) => listener?.step(...step),
        end: (...end) => listener?.end(...end),
      },
    }),
    onEnter: (call) => current.onEnter?.(call),
    onLeave: (call) => current.onLeave?.(call),
    onLog: (log, index) => current.onLog?.(log, index),
  })
  return {
    engine,
    observe(tracer) {
      current = tracer.hooks
      listener = tracer.listener
    },
  }
}
