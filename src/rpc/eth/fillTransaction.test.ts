import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../test/support/rpcNode.ts'
import { toHex } from '../../base/hex.ts'

test('eth_fillTransaction gives nonce, gas and fees, without a signature', async () => {
  const node = createTestNode()
  expect(
    await node.request('eth_fillTransaction', { from: toHex(ALICE), to: toHex(BOB) }),
  ).toMatchObject({ tx: { nonce: '0x0', gas: '0x15f90', type: '0x2', r: '0x0', s: '0x0' } })
})
