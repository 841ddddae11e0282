import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_sendRawTransactionSync answers with the receipt once a block has the transaction', async () => {
  const node = createTestNode()
  const transaction = transactionByAlice()
  const answer = node.request('eth_sendRawTransactionSync', toHex(transaction.raw))
  await new Promise((resolve) => setImmediate(resolve))
  const { height } = node.chain.append([{ transaction }])
  node.bus.emit('block', { height })
  expect(await answer).toMatchObject({ transactionHash: toHex(transaction.hash), status: '0x1' })
})

test('a transaction that no block has in time is error 4, with its hash', async () => {
  const { raw, hash } = transactionByAlice()
  await expect(
    createTestNode().request('eth_sendRawTransactionSync', toHex(raw), 1),
  ).rejects.toMatchObject({ code: 4, data: toHex(hash) })
})
