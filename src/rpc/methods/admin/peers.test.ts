import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('admin_peers is empty where nobody is connected', async () => {
  expect(await createTestNode().request('admin_peers')).toEqual([])
})

test('admin_peers lists the nodes that CometBFT is connected to', async () => {
  const peer = { id: 'ab'.repeat(20), name: 'node1', ip: '127.0.0.1', isOutbound: false }
  expect(await createTestNode({ peers: [peer] }).request('admin_peers')).toEqual([
    {
      id: peer.id,
      name: 'node1',
      caps: [],
      network: { localAddress: '', remoteAddress: '127.0.0.1', inbound: true },
      protocols: {},
    },
  ])
})
