import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

const call = { from: toHex(BOB), to: toHex(ALICE), gas: '0x5208' }

test('personal_signTransaction signs by a locked account and sends nothing', async () => {
  const node = createTestNode()
  expect(await node.request('personal_signTransaction', call, 'bob')).toMatchObject({
    tx: { from: toHex(BOB), gas: '0x5208' },
  })
  expect(node.pool.counts().pending).toBe(0)
})

test('a wrong passphrase is an error', async () => {
  await expect(
    createTestNode().request('personal_signTransaction', call, 'wrong'),
  ).rejects.toMatchObject({ code: -32000, message: 'could not decrypt key with given password' })
})
