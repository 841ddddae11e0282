import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_coinbase is the reward address', async () => {
  expect(await createTestNode().request('eth_coinbase')).toBe(`0x${'c0'.repeat(20)}`)
})
