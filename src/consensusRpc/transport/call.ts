/** Runs one call, for every transport. */
import type { Log } from '../../base/log.ts'
import { type CometCaller, type CometMethod, isCacheable } from '../method.ts'
import type { CometTable } from '../table.ts'
import type { CometServices } from '../world.ts'
import { type CometFault, faultOf } from './errors.ts'

/** A result as JSON text, or what went wrong. */
export type Outcome =
  | { readonly ok: true; readonly result: string; readonly cacheable: boolean }
  | { readonly ok: false; readonly fault: CometFault }

/** What every transport passes on. */
export type CallContext = {
  readonly services: CometServices
  readonly table: CometTable
  readonly log: Log
}

/**
 * The outcome of a call. It is a promise only when the handler returns one: the reply to a `subscribe` must be on its
 * way before the next event can occur.
 */
export function runCall(
  { services, log }: CallContext,
  name: string,
  method: CometMethod<CometServices>,
  args: Readonly<Record<string, unknown>>,
  caller: CometCaller,
): Outcome | Promise<Outcome> {
  const succeed = (value: unknown): Outcome => ({
    ok: true,
    result: JSON.stringify(value),
    cacheable: isCacheable(method, args),
  })
  const fail = (error: unknown): Outcome => {
    const { unexpected, ...fault } = faultOf(error)
    if (unexpected) log.error({ err: error, method: name }, 'consensus RPC: a handler failed')
    return { ok: false, fault }
  }
  try {
    const value = method.call(services, args, caller)
    return value instanceof Promise ? value.then(succeed).catch(fail) : succeed(value)
  } catch (error) {
    return fail(error)
  }
}
