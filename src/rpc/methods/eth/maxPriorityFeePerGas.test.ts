import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_maxPriorityFeePerGas follows what recent blocks paid', async () => {
  const node = createTestNode()
  expect(await node.request('eth_maxPriorityFeePerGas')).toBe('0x989680')
  withThreeBlocks(node)
  // Tips of the blocks: 0.5 gwei twice, 1 gwei, 2 gwei.
  expect(await node.request('eth_maxPriorityFeePerGas')).toBe('0x1dcd6500')
})
