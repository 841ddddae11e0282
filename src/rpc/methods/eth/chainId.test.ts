import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_chainId is the chain id as a QUANTITY', async () => {
  expect(await createTestNode().request('eth_chainId')).toBe('0x425d4')
})
