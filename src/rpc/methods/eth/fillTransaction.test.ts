import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_fillTransaction gives nonce, gas and fees, without a signature', async () => {
  const node = createTestNode()
  expect(
    await node.request('eth_fillTransaction', { from: toHex(ALICE), to: toHex(BOB) }),
  ).toMatchObject({ tx: { nonce: '0x0', gas: '0x5208', type: '0x2', r: '0x0', s: '0x0' } })
})

test('a transaction that would revert is answered with its reason', async () => {
  // PUSH4 deadbeef, PUSH0, MSTORE, PUSH1 4, PUSH1 28, REVERT.
  await expect(
    createTestNode().request('eth_fillTransaction', {
      from: toHex(ALICE),
      data: '0x63deadbeef5f526004601cfd',
    }),
  ).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
})
