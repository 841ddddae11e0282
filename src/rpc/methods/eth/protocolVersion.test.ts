import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

// Holds D49.
test('eth_protocolVersion is 0x41', async () => {
  expect(await createTestNode().request('eth_protocolVersion')).toBe('0x41')
})
