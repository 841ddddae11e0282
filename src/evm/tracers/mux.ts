/** muxTracer: several tracers over one run. */
import type { Hooks } from '../hooks.ts'
import type { TracerKind } from './tracer.ts'

/** A hook that calls all that are there, or none. */
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

/** The tracer: an object with the result of each under its name. */
export function muxTracer(kinds: Readonly<Record<string, TracerKind>>): TracerKind {
  return {
    watchesSteps: Object.values(kinds).some(({ watchesSteps }) => watchesSteps),
    start(run) {
      const tracers = Object.entries(kinds).map(([name, kind]) => [name, kind.start(run)] as const)
      return {
        hooks: mergeHooks(tracers.map(([, { hooks }]) => hooks)),
        result: (outcome) =>
          Object.fromEntries(tracers.map(([name, tracer]) => [name, tracer.result(outcome)])),
      }
    },
  }
}
