import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getTransactionLogs gives the logs of the receipt', async () => {
  const node = withThreeBlocks(createTestNode())
  const transaction = node.chain.transactions(1)?.[1]
  const hash = transaction && toHex(transaction.hash)
  const receipt = (await node.request('eth_getTransactionReceipt', hash)) as { logs: unknown[] }
  expect(receipt.logs).toHaveLength(2)
  expect(await node.request('eth_getTransactionLogs', hash)).toEqual(receipt.logs)
  expect(await node.request('eth_getTransactionLogs', `0x${'11'.repeat(32)}`)).toEqual([])
})
