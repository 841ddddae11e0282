/**
 * One endpoint of the consensus RPC is one value, like a JSON-RPC method (wire/method.ts). It has a type of its own
 * because its arguments follow CometBFT's rules, three transports serve it, and responses may be cached.
 */
import type { CometEvent } from '../events/cometEvent.ts'
import type { Argument } from './argument.ts'

/** A WebSocket that events can be sent to. */
export type EventSink = {
  /** Sends an event of the block at `height` under the id and query text of its subscription; false when its buffer is full. */
  sendEvent(
    to: { readonly id: string; readonly query: string; readonly height: number },
    event: CometEvent,
  ): boolean
  /** Tells the client that a subscription has ended, and why. */
  sendCancellation(id: string, reason: string): void
}

/** The caller. */
export type CometCaller = {
  /** Remote address and port, which identify a client where subscriptions are counted. */
  readonly remote: string
  /** The request's id as JSON text. */
  readonly id: string
  /** undefined over HTTP. */
  readonly events: EventSink | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Whether a response may be cached for a day: never, always, or only when the caller gave a height. */
export type CacheRule = 'never' | 'always' | 'at given height'

type Arguments = Readonly<Record<string, Argument<unknown>>>
type Values<Args extends Arguments> = {
  readonly [Name in keyof Args]: Args[Name] extends Argument<infer T> ? T : never
}

/** An endpoint as stored in the table. */
export type CometMethod<World> = {
  readonly summary: string
  /** In the order of positional parameters. */
  readonly args: Arguments
  readonly cache: CacheRule
  readonly websocketOnly: boolean
  /** Arguments are already parsed; the result is JSON. Throws ConsensusError for errors that the caller should see. */
  call(world: World, args: Readonly<Record<string, unknown>>, caller: CometCaller): unknown
}

/** Creates an endpoint. `handler`'s first parameter lists exactly the parts of the node that it needs. */
export function cometMethod<World, const Args extends Arguments>(definition: {
  readonly summary: string
  readonly args: Args
  readonly cache?: CacheRule
  readonly websocketOnly?: boolean
  readonly handler: (world: World, args: Values<Args>, caller: CometCaller) => unknown
}): CometMethod<World> {
  const { summary, args, cache = 'never', websocketOnly = false, handler } = definition
  return {
    summary,
    args,
    cache,
    websocketOnly,
    call: (world, values, caller) => handler(world, values as Values<Args>, caller),
  }
}

/** Whether the response to a call with these arguments may be cached. */
export function isCacheable(
  { cache }: CometMethod<never>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return cache === 'always' || (cache === 'at given height' && values['height'] !== undefined)
}
