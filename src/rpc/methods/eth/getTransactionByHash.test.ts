import { expect, test } from 'vitest'
import {
  createTestNode,
  transactionByAlice,
  withThreeBlocks,
} from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('a transaction in a block has its place and the price it paid', async () => {
  const node = withThreeBlocks(createTestNode())
  const hash = toHex(
    transactionByAlice({
      nonce: 1n,
      to: node.chain.transactions(1)?.[1]?.to,
      data: Uint8Array.of(0xaa),
    }).hash,
  )
  expect(await node.request('eth_getTransactionByHash', hash)).toMatchObject({
    hash,
    type: '0x2',
    blockNumber: '0x1',
    transactionIndex: '0x1',
    gasPrice: '0x59682f00',
    maxFeePerGas: '0xb2d05e00',
    maxPriorityFeePerGas: '0x1dcd6500',
    chainId: '0x425d4',
    accessList: [],
  })
})

test('a pending transaction has no block, and its fee cap as price', async () => {
  const node = createTestNode()
  const { hash } = await node.pool.add(transactionByAlice().raw)
  expect(await node.request('eth_getTransactionByHash', toHex(hash))).toMatchObject({
    blockHash: null,
    blockNumber: null,
    blockTimestamp: null,
    transactionIndex: null,
    gasPrice: '0xb2d05e00',
  })
})

test('an unknown transaction is null', async () => {
  expect(
    await createTestNode().request('eth_getTransactionByHash', `0x${'11'.repeat(32)}`),
  ).toBeNull()
})
