import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_blockNumber is the latest height, 0x0 at genesis', async () => {
  const node = createTestNode()
  expect(await node.request('eth_blockNumber')).toBe('0x0')
  node.chain.append()
  expect(await node.request('eth_blockNumber')).toBe('0x1')
})
