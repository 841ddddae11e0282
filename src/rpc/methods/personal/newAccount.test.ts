import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('personal_newAccount | [passphrase] | address; new key stored encrypted, and locked', async () => {
  const node = createTestNode()
  const address = await node.request('personal_newAccount', 'secret')
  expect(await node.request('eth_accounts')).toEqual([toHex(ALICE), toHex(BOB), address])
  await expect(node.request('eth_sign', address, '0x00')).rejects.toMatchObject({
    message: 'authentication needed: password or unlock',
  })
  expect(await node.request('personal_unlockAccount', address, 'secret')).toBe(true)
})
