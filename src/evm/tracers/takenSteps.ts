/**
 * Steps as go-ethereum reports them to its tracers: those with sufficient stack and gas, whatever their result. That is
 * known only when something follows, so each step is inspected before it runs, and counted afterwards.
 */
import type { Hooks, Step } from '../hooks.ts'
import type { TransitionResult } from '../transition.ts'

/** Runs once the step has been executed. `next` is the next step of the same frame, if there is one yet. */
export type Taken = (next: Step | undefined) => void

const NOT_TAKEN = /^(?:out of gas|gas uint64 overflow|stack underflow|stack limit reached)/

/**
 * Hooks that inspect steps with `see`; they run before other hooks for calls. `finish` is called at the end of the
 * transaction.
 */
export function watchTakenSteps(
  see: (step: Step) => Taken | undefined,
  { onEnter, onLeave, onLog }: Hooks = {},
): { readonly hooks: Hooks; finish(outcome: TransitionResult): void } {
  let pending: Taken | undefined

  function settle(next?: Step): void {
    const taken = pending
    pending = undefined
    taken?.(next)
  }

  function end({ error }: { readonly error: string }): void {
    if (NOT_TAKEN.test(error)) pending = undefined
    settle()
  }

  return {
    hooks: {
      onStep(step) {
        settle(step)
        pending = see(step)
      },
      onEnter(call) {
        settle()
        onEnter?.(call)
      },
      onLeave(call) {
        end(call)
        onLeave?.(call)
      },
      onLog,
    },
    finish: end,
  }
}
