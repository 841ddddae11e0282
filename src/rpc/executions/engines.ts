/**
 * The engines of a thread, which runs one execution at a time. Creating an engine costs some milliseconds, nearly all
 * of them for its memory and for the garbage collections that it causes: more than most executions take.
 */
import { createEngine } from '../../evm/createEngine.ts'
import { createTracedEngine, type TracedEngine } from '../../evm/tracers/engine.ts'
import type { TracerKind } from '../../evm/tracers/tracer.ts'
import type { Engine } from '../../evm/types.ts'
import { createDeadline, type Deadline } from './deadline.ts'

export type Engines = {
  /** Deadline of the current execution, whichever engines it uses. Each execution restarts it. */
  readonly deadline: Deadline
  /** For executions without a tracer. */
  plain(): Engine
  /** For tracers that need no more hooks than these. */
  traced(kind: Pick<TracerKind, 'watchesSteps' | 'listensToSteps'>): TracedEngine
  /** Releases the last tracers and the data that they collected. */
  forget(): void
}

/**
 * There are up to four engines, and hostile executions would fill each: an instance that grew beyond this many bytes is
 * not kept.
 */
const MOST_KEPT = 16 << 20

/** No engines yet. `seed` is mixed into their hash tables. */
export function createEngines(seed: bigint): Engines {
  const deadline = createDeadline()
  const options = { seed, poll: deadline.poll, mostKept: MOST_KEPT }
  const traced = new Map<string, TracedEngine>()
  let plain: Engine | undefined
  return {
    deadline,
    plain: () => (plain ??= createEngine(options)),
    traced({ watchesSteps, listensToSteps = false }) {
      const key = `${watchesSteps} ${listensToSteps}`
      const known = traced.get(key) ?? createTracedEngine({ watchesSteps, listensToSteps }, options)
      traced.set(key, known)
      return known
    },
    forget() {
      for (const { observe } of traced.values()) observe({ hooks: {} })
    },
  }
}
