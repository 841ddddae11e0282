import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_getUncleByBlockHashAndIndex is null: blocks have no uncles', async () => {
  const block = `0x${'11'.repeat(32)}`
  expect(await createTestNode().request('eth_getUncleByBlockHashAndIndex', block, '0x0')).toBeNull()
})
