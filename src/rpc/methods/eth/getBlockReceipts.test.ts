import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getBlockReceipts gives the receipt of each transaction, in order', async () => {
  const node = withThreeBlocks(createTestNode())
  const receipts = (await node.request('eth_getBlockReceipts', '0x1')) as {
    transactionHash: string
  }[]
  expect(receipts).toHaveLength(2)
  for (const receipt of receipts)
    expect(await node.request('eth_getTransactionReceipt', receipt.transactionHash)).toEqual(
      receipt,
    )
})

test('eth_getBlockReceipts is empty for a block without transactions and null for none', async () => {
  const node = withThreeBlocks(createTestNode())
  expect(await node.request('eth_getBlockReceipts', '0x2')).toEqual([])
  expect(await node.request('eth_getBlockReceipts', '0x9')).toBeNull()
})
