/** An engine under observation: the same one for many transactions, with another tracer at each. */
import { createEngine } from '../createEngine.ts'
import type { Hooks } from '../hooks.ts'
import type { Hardfork } from '../rules.ts'
import type { Engine } from '../types.ts'
import type { TracerKind } from './tracer.ts'

export type TracedEngine = {
  readonly engine: Engine
  /** Tells these hooks from now on. */
  observe(hooks: Hooks): void
}

/** A new engine for tracers of one kind. `poll` is asked now and then, and throws when the execution shall end. */
export function createTracedEngine(
  { watchesSteps }: Pick<TracerKind, 'watchesSteps'>,
  options: {
    readonly hardfork?: Hardfork
    readonly seed?: bigint
    readonly poll?: () => void
  } = {},
): TracedEngine {
  const { hardfork, ...rest } = options
  let current: Hooks = {}
  const engine = createEngine(hardfork, {
    ...rest,
    ...(watchesSteps && { onStep: (step) => current.onStep?.(step) }),
    onEnter: (call) => current.onEnter?.(call),
    onLeave: (call) => current.onLeave?.(call),
    onLog: (log, index) => current.onLog?.(log, index),
  })
  return {
    engine,
    observe(hooks) {
      current = hooks
    },
  }
}
