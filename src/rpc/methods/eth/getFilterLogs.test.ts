import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getFilterLogs gives all logs of the filter, however often it is asked', async () => {
  const node = withThreeBlocks(createTestNode())
  const id = await node.request('eth_newFilter', { fromBlock: '0x0' })
  expect(await node.request('eth_getFilterLogs', id)).toHaveLength(3)
  expect(await node.request('eth_getFilterLogs', id)).toHaveLength(3)
})

test.each([
  ['eth_newBlockFilter', 5],
  ['eth_newPendingTransactionFilter', 4],
])('a filter of %s has no logs', async (method, type) => {
  const node = createTestNode()
  const id = String(await node.request(method))
  await expect(node.request('eth_getFilterLogs', id)).rejects.toMatchObject({
    code: -32000,
    message: `filter ${id} doesn't have a LogsSubscription type: got ${type}`,
  })
})
