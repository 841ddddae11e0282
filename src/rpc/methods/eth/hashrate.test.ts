import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_hashrate is 0x0', async () => {
  expect(await createTestNode().request('eth_hashrate')).toBe('0x0')
})
