/**
 * One JSON-RPC method is one value: its parameters, its result and its behaviour. Dispatch, documentation, OpenRPC and
 * tests derive from it.
 */
import type { z } from 'zod'

/** How blocks show their proof-of-work fields (D4). */
export type BlockProfile = 'spec' | 'ethereum'

/** The profile of a request path: `plain` at /, "ethereum" at /ethereum (D4), undefined where nothing is served. */
export function profileOfPath(url: string, plain: BlockProfile): BlockProfile | undefined {
  if (url === '/') return plain
  const path = url.split('?', 1)[0]
  if (path === '/' || path === '') return plain
  return path === '/ethereum' || path === '/ethereum/' ? 'ethereum' : undefined
}

/** A connection that can receive notifications. Only WebSocket and IPC have one. */
export type Connection = {
  /** Sends an eth_subscription notification; false when the client is too slow and is being closed. */
  notify(subscriptionId: string, result: unknown): boolean
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Subscriptions of this connection: id -> controller that ends it. */
  readonly subscriptions: Map<string, AbortController>
}

/** The caller, and the form that the response should have. */
export type Caller = {
  readonly transport: 'http' | 'websocket' | 'ipc'
  /** May use private methods (D13). */
  readonly authorized: boolean
  /** Which private methods the token covers ("personal:*", "miner:setEtherbase", "*"); undefined is all of them. */
  readonly scope?: readonly string[] | undefined
  /** Why the token that was sent was refused; undefined when none was sent. */
  readonly refusal?: string | undefined
  /** Identifies the token or socket for unlocks (D14); undefined for an anonymous caller. */
  readonly principal: string | undefined
  /** Whom limits per caller count it under: its address group (base/addressGroup), or `ipc`. */
  readonly client: string
  readonly profile: BlockProfile
  readonly connection: Connection | undefined
  /** The `traceparent` header of the request, unread. */
  readonly traceparent?: string
}

/** The result of a method: its shape on the wire, for documentation and tests, and a plain function that encodes it. */
export type Result<T> = {
  readonly schema: z.ZodType
  encode(value: T, caller: Caller): unknown
}

type Shape = Readonly<Record<string, z.ZodType>>

/** A method as stored in the table. */
export type Method<World> = {
  readonly summary: string
  /** By position, in this order; optional parameters last. */
  readonly params: Shape
  readonly result: z.ZodType
  /** Whether consecutive calls in a batch are started together, because the handler itself keeps their order. */
  readonly overlaps: boolean
  /** Whether a call of a private method, by the parameters as sent, needs no authority (D65); absent if every one does. */
  isPublic?(world: World, params: unknown, caller: Caller): boolean
  /** Parameters are already parsed, in order; the result is wire JSON. */
  call(world: World, args: Readonly<Record<string, unknown>>, caller: Caller): unknown
}

/** Creates a method. `handler`'s first parameter lists exactly the parts of the node that it needs. */
export function method<World, const Params extends Shape, T>(definition: {
  readonly summary: string
  readonly params: Params
  readonly result: Result<T>
  readonly overlaps?: boolean
  readonly handler: (
    world: World,
    args: { readonly [Name in keyof Params]: z.output<Params[Name]> },
    caller: Caller,
  ) => T | Promise<T>
}): Method<World> {
  const { summary, params, result, overlaps = false, handler } = definition
  return {
    summary,
    params,
    result: result.schema,
    overlaps,
    call(world, args, caller) {
      const value = handler(
        world,
        args as { readonly [Name in keyof Params]: z.output<Params[Name]> },
        caller,
      )
      return value instanceof Promise
        ? value.then((settled) => result.encode(settled, caller))
        : result.encode(value, caller)
    },
  }
}
