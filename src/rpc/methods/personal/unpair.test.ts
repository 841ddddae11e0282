import { expect, test } from 'vitest'
import { createWalletNode } from '../../../../test/support/walletNode.ts'

const URL = 'keystore://w'

test('personal_unpair | [url, pairing password] | deletes the pairing: the account is gone and its key locked', async () => {
  const node = createWalletNode()
  await node.request('personal_initializeWallet', URL)
  const [address] = (await node.request('eth_accounts')) as string[]
  await node.request('personal_unlockAccount', address, '')
  expect(await node.request('personal_unpair', URL, '')).toBeNull()
  expect(await node.request('eth_accounts')).toEqual([])
  await expect(node.request('eth_sign', address, '0x00')).rejects.toThrow('unknown account')
})

test.each([
  [URL, 'wrong', 'could not decrypt key with given password'],
  ['keystore://other', '', 'unknown wallet'],
])(
  'unpairing %s with password "%s" is an error and changes nothing',
  async (url, password, message) => {
    const node = createWalletNode()
    await node.request('personal_initializeWallet', URL)
    await expect(node.request('personal_unpair', url, password)).rejects.toMatchObject({
      code: -32000,
      message,
    })
    expect(await node.request('eth_accounts')).toHaveLength(1)
  },
)
