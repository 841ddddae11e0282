import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import type { Connection } from '../../../wire/method.ts'
import { eth_unsubscribe } from './unsubscribe.ts'

test('eth_unsubscribe ends a subscription once, and is false for an unknown id', () => {
  const subscription = new AbortController()
  const connection: Connection = {
    notify: () => true,
    signal: new AbortController().signal,
    subscriptions: new Map([['0x01', subscription]]),
  }
  const unsubscribe = (id: string): unknown =>
    eth_unsubscribe.call(
      createTestNode(),
      { id },
      {
        transport: 'websocket',
        authorized: false,
        principal: undefined,
        client: 'test',
        profile: 'spec',
        connection,
      },
    )
  expect(unsubscribe('0x02')).toBe(false)
  expect(unsubscribe('0x01')).toBe(true)
  expect(subscription.signal.aborted).toBe(true)
  expect(unsubscribe('0x01')).toBe(false)
})

test('eth_unsubscribe needs a connection that lasts', async () => {
  await expect(createTestNode().request('eth_unsubscribe', '0x01')).rejects.toMatchObject({
    code: -32601,
    message: 'notifications not supported',
  })
})
