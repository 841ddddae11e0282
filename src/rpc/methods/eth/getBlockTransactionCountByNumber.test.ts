import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

// Holds D8.
test('eth_getBlockTransactionCountByNumber is a QUANTITY, and null for an unknown block', async () => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_getBlockTransactionCountByNumber', '0x1')).toBe('0x2')
  expect(await node.request('eth_getBlockTransactionCountByNumber', '0x2')).toBe('0x0')
  expect(await node.request('eth_getBlockTransactionCountByNumber', '0x9')).toBeNull()
})
