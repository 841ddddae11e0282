import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('a pending filter reports hashes of transactions before they are in a block', async () => {
  const node = createTestNode()
  await node.pool.add(transactionByAlice().raw)
  const id = await node.request('eth_newPendingTransactionFilter')
  const { hash } = await node.pool.add(transactionByAlice({ nonce: 1n }).raw)
  expect(await node.request('eth_getFilterChanges', id)).toEqual([toHex(hash)])
  expect(await node.request('eth_getFilterChanges', id)).toEqual([])
})

test('a filter for whole transactions reports them', async () => {
  const node = createTestNode()
  const id = await node.request('eth_newPendingTransactionFilter', true)
  const { hash } = await node.pool.add(transactionByAlice().raw)
  expect(await node.request('eth_getFilterChanges', id)).toMatchObject([{ hash: toHex(hash) }])
  expect(await node.request('eth_getFilterChanges', id)).toEqual([])
})
