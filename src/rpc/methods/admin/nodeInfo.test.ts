import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('admin_nodeInfo tells the chain and its ends', async () => {
  const node = withThreeBlocks(createTestNode())
  const { hash } = (await node.request('eth_getBlockByNumber', 'latest', false)) as { hash: string }
  expect(await node.request('admin_nodeInfo')).toMatchObject({
    id: 'ab'.repeat(20),
    protocols: { eth: { network: 271_828, head: hash } },
  })
})
