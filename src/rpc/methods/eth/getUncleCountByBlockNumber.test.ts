import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_getUncleCountByBlockNumber is 0x0, and null for an unknown block', async () => {
  expect(await createTestNode().request('eth_getUncleCountByBlockNumber', 'latest')).toBe('0x0')
  expect(await createTestNode().request('eth_getUncleCountByBlockNumber', '0x5')).toBeNull()
})
