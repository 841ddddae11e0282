/** muxTracer: several tracers over one run. */
import type { Hooks } from '../hooks.ts'
import type { StepListener } from '../wasm/tracing.ts'
import type { TracerKind } from './tracer.ts'

/** A hook that calls all given ones, or undefined if there are none. */
function together<Args extends readonly unknown[]>(
  hooks: readonly (((...args: Args) => void) | undefined)[],
): ((...args: Args) => void) | undefined {
  const present = hooks.filter((hook) => hook !== undefined)
  if (present.length < 2) return present[0]
  return (...args) => {
    for (const hook of present) hook(...args)
  }
}

function mergeHooks(all: readonly Hooks[]): Hooks {
  return {
    onStep: together(all.map(({ onStep }) => onStep)),
    onEnter: together(all.map(({ onEnter }) => onEnter)),
    onLeave: together(all.map(({ onLeave }) => onLeave)),
    onLog: together(all.map(({ onLog }) => onLog)),
  }
}

function mergeListeners(all: readonly (StepListener | undefined)[]): StepListener | undefined {
  const present = all.filter((listener) => listener !== undefined)
  if (present.length < 2) return present[0]
  return {
    step(...step) {
      for (const listener of present) listener.step(...step)
    },
    end(...end) {
      for (const listener of present) listener.end(...end)
    },
  }
}

/** The tracer: an object with the result of each under its name. */
export function muxTracer(kinds: Readonly<Record<string, TracerKind>>): TracerKind {
  return {
    watchesSteps: Object.values(kinds).some(({ watchesSteps }) => watchesSteps),
    listensToSteps: Object.values(kinds).some(({ listensToSteps }) => listensToSteps === true),
    start(run) {
      const tracers = Object.entries(kinds).map(([name, kind]) => [name, kind.start(run)] as const)
      const listener = mergeListeners(tracers.map(([, tracer]) => tracer.listener))
      return {
        hooks: mergeHooks(tracers.map(([, { hooks }]) => hooks)),
        ...(listener && { listener }),
        result: (outcome) =>
          Object.fromEntries(tracers.map(([name, tracer]) => [name, tracer.result(outcome)])),
      }
    },
  }
}
