import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

// Holds D8.
test('net_peerCount is a JSON number', async () => {
  expect(await createTestNode().request('net_peerCount')).toBe(0)
  const peer = { id: 'ab'.repeat(20), name: 'node1', ip: '127.0.0.1', isOutbound: true }
  expect(await createTestNode({ peers: [peer, peer] }).request('net_peerCount')).toBe(2)
})
