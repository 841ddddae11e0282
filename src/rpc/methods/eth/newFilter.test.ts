import { expect, test } from 'vitest'
import { CONTRACT, createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('a log filter reports logs from its installation on, once each', async () => {
  const node = withThreeBlocks(createTestNode())
  const id = await node.request('eth_newFilter', { address: toHex(CONTRACT) })
  expect(id).toMatch(/^0x[0-9a-f]{32}$/)
  expect(await node.request('eth_getFilterChanges', id)).toEqual([])
  withThreeBlocks(node)
  expect(await node.request('eth_getFilterChanges', id)).toHaveLength(3)
  expect(await node.request('eth_getFilterChanges', id)).toEqual([])
})

test('a range that ends bounds what a filter reports', async () => {
  const node = createTestNode()
  const id = await node.request('eth_newFilter', { fromBlock: '0x0', toBlock: '0x1' })
  withThreeBlocks(node)
  expect(await node.request('eth_getFilterChanges', id)).toHaveLength(2)
})

test.each([{ topics: 'x' }, { fromBlock: '0x5', toBlock: '0x1' }])(
  'a bad filter object is refused: %j',
  async (filter) => {
    await expect(createTestNode().request('eth_newFilter', filter)).rejects.toMatchObject({
      code: -32602,
    })
  },
)
