import { expect, test } from 'vitest'
import {
  createTestNode,
  transactionByAlice,
  withThreeBlocks,
} from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

async function receiptAt(height: number, index: number): Promise<unknown> {
  const node = withThreeBlocks(createTestNode())
  const hash = node.chain.transactions(height)?.[index]?.hash ?? new Uint8Array()
  return node.request('eth_getTransactionReceipt', toHex(hash))
}

// Holds D47.
test('log indexes and gas count through the whole block', async () => {
  expect(await receiptAt(3, 1)).toMatchObject({
    status: '0x1',
    gasUsed: '0x7530',
    cumulativeGasUsed: '0x1d4c0',
    transactionIndex: '0x1',
    contractAddress: null,
    logs: [{ logIndex: '0x0', transactionIndex: '0x1' }],
  })
  expect(await receiptAt(1, 1)).toMatchObject({ logs: [{ logIndex: '0x0' }, { logIndex: '0x1' }] })
})

test('a failed creation has status 0x0, no recipient, and an address', async () => {
  expect(await receiptAt(3, 0)).toMatchObject({
    status: '0x0',
    to: null,
    contractAddress: `0x${'dd'.repeat(20)}`,
    effectiveGasPrice: '0x59682f00',
    type: '0x2',
  })
})

test('a pending transaction has no receipt, nor has an unknown one', async () => {
  const node = createTestNode()
  const { hash } = await node.pool.add(transactionByAlice().raw)
  expect(await node.request('eth_getTransactionReceipt', toHex(hash))).toBeNull()
  expect(await node.request('eth_getTransactionReceipt', `0x${'11'.repeat(32)}`)).toBeNull()
})
