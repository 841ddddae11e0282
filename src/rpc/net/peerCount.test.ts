import { expect, test } from 'vitest'
import { createTestNode } from '../../../test/support/rpcNode.ts'

test('net_peerCount is a JSON number', async () => {
  expect(await createTestNode().request('net_peerCount')).toBe(0)
})
