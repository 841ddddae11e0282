import { expect, test } from 'vitest'
import { ALICE, createTestNode } from '../../../../test/support/rpcNode.ts'
import { signMessage } from 'viem/accounts'
import { toHex } from '../../../base/hex.ts'

test('personal_ecRecover | [message, signature] | address whose key produced the signature', async () => {
  const privateKey = `0x${'0'.repeat(59)}a11ce` as const
  const signature = await signMessage({ message: 'by another library', privateKey })
  expect(
    await createTestNode().request('personal_ecRecover', 'by another library', signature),
  ).toBe(toHex(ALICE))
})

test.each([
  [`0x${'11'.repeat(64)}`, 'signature must be 65 bytes long'],
  [`0x${'11'.repeat(65)}`, 'invalid Ethereum signature (V is not 27 or 28)'],
  [`0x${'ff'.repeat(64)}1b`, 'recovery failed'],
])('%s is refused', async (signature, message) => {
  await expect(
    createTestNode().request('personal_ecRecover', '0x00', signature),
  ).rejects.toMatchObject({ code: -32000, message })
})
