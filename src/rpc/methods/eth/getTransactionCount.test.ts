import { expect, test } from 'vitest'
import { ALICE, createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

test('eth_getTransactionCount reads the state, and the pool for pending', async () => {
  const node = createTestNode({ genesis: { [toHexDigits(ALICE)]: { nonce: 0n } } })
  await node.pool.add(transactionByAlice().raw)
  expect(await node.request('eth_getTransactionCount', toHex(ALICE), 'latest')).toBe('0x0')
  expect(await node.request('eth_getTransactionCount', toHex(ALICE), 'pending')).toBe('0x1')
})

test('eth_getTransactionCount of a future height is an error', async () => {
  await expect(
    createTestNode().request('eth_getTransactionCount', toHex(ALICE), '0x7'),
  ).rejects.toMatchObject({ code: -32000, message: 'header not found' })
})
