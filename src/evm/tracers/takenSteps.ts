/**
 * Steps as go-ethereum tells its tracers of them: those that the stack and the gas suffice for, whatever comes of them then. That
 * is only known when something follows, so each is looked at before it, and counted afterwards.
 */
import type { Hooks, Step } from '../hooks.ts'
import type { TransitionResult } from '../transition.ts'

/** What is to be done once the step has been taken. `next` is the next step of the same frame, where there is one yet. */
export type Taken = (next: Step | undefined) => void

const NOT_TAKEN = /^(?:out of gas|gas uint64 overflow|stack underflow|stack limit reached)/

/** Hooks that look at steps with `see`; they go before other hooks for calls. `finish` is for the end of the transaction. */
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
