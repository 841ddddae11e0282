import { expect, test } from 'vitest'
import { ALICE, createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('txpool_contentFrom gives the transactions of one sender, without the level of addresses', async () => {
  const node = createTestNode()
  await node.pool.add(transactionByAlice({ nonce: 4n }).raw)
  expect(await node.request('txpool_contentFrom', toHex(ALICE))).toMatchObject({
    pending: { '4': { nonce: '0x4' } },
    queued: {},
  })
  expect(await node.request('txpool_contentFrom', `0x${'11'.repeat(20)}`)).toEqual({
    pending: {},
    queued: {},
  })
})
