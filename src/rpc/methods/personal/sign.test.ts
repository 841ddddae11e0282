import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('personal_sign | [message, address, password] | signature DATA, same prefix scheme as eth_sign', async () => {
  const node = createTestNode()
  const signature = await node.request('personal_sign', '0xdeadbeef', toHex(ALICE), 'alice')
  expect(signature).toBe(await node.request('eth_sign', toHex(ALICE), '0xdeadbeef'))
})

test('personal_sign works for a locked account and leaves it locked', async () => {
  const node = createTestNode()
  const signature = await node.request('personal_sign', 'hello', toHex(BOB), 'bob')
  expect(await node.request('personal_ecRecover', 'hello', signature)).toBe(toHex(BOB))
  await expect(node.request('eth_sign', toHex(BOB), '0x00')).rejects.toThrow('authentication')
})

test.each([
  [toHex(BOB), 'wrong', 'could not decrypt key with given password'],
  [`0x${'11'.repeat(20)}`, 'bob', 'unknown account'],
])('%s with passphrase %s is refused', async (address, passphrase, message) => {
  await expect(
    createTestNode().request('personal_sign', '0x00', address, passphrase),
  ).rejects.toMatchObject({ code: -32000, message })
})
