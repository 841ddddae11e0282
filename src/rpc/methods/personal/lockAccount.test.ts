import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('account | unlocked | personal_lockAccount | locked: key removed, it can no longer send transactions', async () => {
  const node = createTestNode()
  expect(await node.request('personal_lockAccount', toHex(ALICE))).toBe(true)
  await expect(
    node.request('eth_sendTransaction', { from: toHex(ALICE), to: toHex(BOB) }),
  ).rejects.toMatchObject({ message: 'authentication needed: password or unlock' })
})

test('locking an account that is locked already is true too (D43)', async () => {
  expect(await createTestNode().request('personal_lockAccount', toHex(BOB))).toBe(true)
})
