import { expect, test } from 'vitest'
import { ALICE, createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toChecksumAddress } from '../../../base/checksumAddress.ts'
import { toHex } from '../../../base/hex.ts'

test('txpool_content | object with keys pending and queued, each an object of transaction details', async () => {
  const node = createTestNode()
  const { hash } = await node.pool.add(transactionByAlice({ nonce: 4n }).raw)
  expect(await node.request('txpool_content')).toMatchObject({
    pending: { [toChecksumAddress(ALICE)]: { '4': { hash: toHex(hash), blockHash: null } } },
    queued: {},
  })
})

test('txpool_content of an empty pool has both groups', async () => {
  expect(await createTestNode().request('txpool_content')).toEqual({ pending: {}, queued: {} })
})
