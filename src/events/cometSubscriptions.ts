/** Subscriptions to consensus events by query, with CometBFT's limits and messages. */
import { addressGroup } from '../base/addressGroup.ts'
import { ConsensusError, type ConsensusReader } from '../consensus/engine.ts'
import type { CommittedBlock, EventBus } from './bus.ts'
import type { CometEvent } from './cometEvent.ts'
import { cometEvents } from './cometEvents.ts'
import { compileQuery, type Matcher } from './query/match.ts'
import { formatQuery, type Query } from './query/query.ts'

/** Where a subscription's events go. */
export type Subscriber = {
  /** Accepts an event of the block at `height`; false when the client's buffer is full, which ends the subscription. */
  deliver(event: CometEvent, height: number): boolean
  /** Called once when the subscription ends other than at its client's request. */
  cancelled(reason: string): void
}

export type SubscriptionLimits = {
  readonly maxClients: number
  readonly maxPerClient: number
}

/** A client is a connection, named by its remote address and port. All failures are ConsensusError. */
export type CometSubscriptions = {
  /** Throws when a limit is reached or the client has a subscription with the same normal form. */
  subscribe(client: string, query: Query, subscriber: Subscriber): void
  /** Throws `subscription not found`. */
  unsubscribe(client: string, query: Query): void
  /** Throws `subscription not found` when the client has none. */
  unsubscribeAll(client: string): void
  /** Removes all subscriptions of a client that has disconnected; does nothing when there are none. */
  forget(client: string): void
}

type Subscription = {
  /** The only events that can match, by name; undefined when the query does not name one. */
  readonly name: string | undefined
  readonly matches: Matcher
  readonly subscriber: Subscriber
}

/** Clients of one address count together. */
function groupOf(client: string): string {
  return addressGroup(client.slice(0, client.lastIndexOf(':')))
}

function eventName(query: Query): string | undefined {
  return query.find(({ tag, operator }) => tag === 'tm.event' && operator === '=')?.operand?.text
}

/** Opens the subscriptions on a bus; `consensus` tells how blocks were decided. The signal ends all of them. */
export function openCometSubscriptions(
  bus: EventBus,
  consensus: Pick<ConsensusReader, 'commit' | 'validator'>,
  limits: SubscriptionLimits,
  signal: AbortSignal,
): CometSubscriptions {
  const clients = new Map<string, Map<string, Subscription>>()

  const remove = (client: string, key: string): boolean => {
    const own = clients.get(client)
    if (own === undefined || !own.delete(key)) return false
    if (own.size === 0) clients.delete(client)
    return true
  }

  const publish = (event: CometEvent, height: number): void => {
    for (const [client, own] of clients) {
      for (const [key, { name, matches, subscriber }] of own) {
        if (name !== undefined && name !== event.name) continue
        if (!matches(event.attributes) || subscriber.deliver(event, height)) continue
        remove(client, key)
        subscriber.cancelled('internal subscription event buffer is out of capacity')
      }
    }
  }
  const onBlock = (committed: CommittedBlock): void => {
    if (clients.size === 0) return
    const { height } = committed
    const commit = consensus.commit(height)?.commit
    const proposer = consensus.validator.address
    for (const event of cometEvents(committed, { commit, proposer })) publish(event, height)
  }
  bus.on('decided', onBlock)
  signal.addEventListener('abort', () => {
    bus.off('decided', onBlock)
    const ended = [...clients.values()].flatMap((own) => [...own.values()])
    clients.clear()
    for (const { subscriber } of ended) subscriber.cancelled('CometBFT exited')
  })

  /**
   * Ends the oldest client of the address with the largest number of clients, where that address still has as many as
   * the newcomer's then: so nobody denies subscriptions to others (D82). Returns whether there was one.
   */
  function makeRoom(newcomer: string): boolean {
    const groups = new Map<string, string[]>()
    for (const client of clients.keys()) {
      const group = groupOf(client)
      groups.set(group, [...(groups.get(group) ?? []), client])
    }
    const own = groups.get(groupOf(newcomer))?.length ?? 0
    const [greediest = []] = [...groups.values()].sort((a, b) => b.length - a.length)
    const [oldest] = greediest
    if (oldest === undefined || greediest.length <= own + 1) return false
    const ended = [...(clients.get(oldest)?.values() ?? [])]
    clients.delete(oldest)
    for (const { subscriber } of ended)
      subscriber.cancelled('its address has the largest number of subscribed clients')
    return true
  }

  return {
    subscribe(client, query, subscriber) {
      const own = clients.get(client)
      if (clients.size >= limits.maxClients && !(own === undefined && makeRoom(client)))
        throw new ConsensusError(`max_subscription_clients ${limits.maxClients} reached`)
      if (own !== undefined && own.size >= limits.maxPerClient) {
        throw new ConsensusError(`max_subscriptions_per_client ${limits.maxPerClient} reached`)
      }
      const key = formatQuery(query)
      if (own?.has(key) === true) throw new ConsensusError('already subscribed')
      const subscription = { name: eventName(query), matches: compileQuery(query), subscriber }
      if (own === undefined) clients.set(client, new Map([[key, subscription]]))
      else own.set(key, subscription)
    },
    unsubscribe(client, query) {
      if (!remove(client, formatQuery(query))) throw new ConsensusError('subscription not found')
    },
    unsubscribeAll(client) {
      if (!clients.delete(client)) throw new ConsensusError('subscription not found')
    },
    forget(client) {
      clients.delete(client)
    },
  }
}
