import { expect, test } from 'vitest'
import { createEventBus } from './bus.ts'
import { openCometSubscriptions } from './cometSubscriptions.ts'
import { parseQuery } from './query/parser.ts'

function openSubscriptions(maxClients: number) {
  const ended: string[] = []
  const subscriptions = openCometSubscriptions(
    createEventBus(),
    {
      commit: () => undefined,
      validator: { address: new Uint8Array(20), publicKey: new Uint8Array(32) },
    },
    { maxClients, maxPerClient: 5 },
    new AbortController().signal,
  )
  return {
    ended,
    subscribe(client: string): void {
      subscriptions.subscribe(client, parseQuery("tm.event = 'Tx'"), {
        deliver: () => true,
        cancelled: () => ended.push(client),
      })
    },
  }
}

// Holds D82.
test('an address that takes all subscriptions makes room for others, and loses its oldest', () => {
  const { subscribe, ended } = openSubscriptions(4)
  for (const port of [1, 2, 3, 4]) subscribe(`198.51.100.7:${port}`)
  expect(() => subscribe('198.51.100.7:5')).toThrow('max_subscription_clients 4 reached')
  subscribe('203.0.113.1:9')
  subscribe('::ffff:203.0.113.1:10')
  expect(ended).toEqual(['198.51.100.7:1', '198.51.100.7:2'])
  // Both have two now.
  expect(() => subscribe('203.0.113.1:11')).toThrow('max_subscription_clients 4 reached')
  expect(() => subscribe('198.51.100.7:12')).toThrow('max_subscription_clients 4 reached')
  subscribe('2001:db8::1:443')
  expect(ended).toHaveLength(3)
})
