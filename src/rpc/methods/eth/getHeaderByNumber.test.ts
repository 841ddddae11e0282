import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getHeaderByNumber gives what the block has but its transactions and uncles', async () => {
  const node = withThreeBlocks(createTestNode())
  const block = (await node.request('eth_getBlockByNumber', '0x1', false)) as object
  const header = await node.request('eth_getHeaderByNumber', '0x1')
  expect(block).toMatchObject(header as object)
  expect(header).not.toHaveProperty('transactions')
  expect(await node.request('eth_getHeaderByNumber', '0x9')).toBeNull()
})
