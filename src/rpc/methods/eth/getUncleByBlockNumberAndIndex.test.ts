import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_getUncleByBlockNumberAndIndex is null: blocks have no uncles', async () => {
  const block = 'latest'
  expect(
    await createTestNode().request('eth_getUncleByBlockNumberAndIndex', block, '0x0'),
  ).toBeNull()
})
