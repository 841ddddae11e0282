import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'
import { signTransaction } from '../../../chain/signTransaction.ts'

test('eth_pendingTransactions lists those of own accounts, and of nobody else', async () => {
  const node = createTestNode()
  const own = await node.pool.add(transactionByAlice().raw)
  await node.pool.add(signTransaction({ ...own, nonce: 0n }, new Uint8Array(32).fill(7)).raw)
  expect(await node.request('eth_pendingTransactions')).toMatchObject([
    { hash: toHex(own.hash), blockHash: null },
  ])
})
