import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_blobBaseFee is the least there can be', async () => {
  expect(await createTestNode().request('eth_blobBaseFee')).toBe('0x1')
})
