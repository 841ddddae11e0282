import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('an unknown filter is an error', async () => {
  await expect(
    createTestNode().request('eth_getFilterChanges', '0x0123456789abcdef0123456789abcdef'),
  ).rejects.toMatchObject({ code: -32000, message: 'filter not found' })
})
