import { expect, test } from 'vitest'
import { createWalletNode } from '../../../../test/support/walletNode.ts'

const URL = 'keystore://w'

test('personal_openWallet gives a wallet without a pairing password one (D15)', async () => {
  const node = createWalletNode()
  await node.request('personal_initializeWallet', URL)
  expect(await node.request('personal_openWallet', URL, 'pair')).toBeNull()
  await expect(node.request('personal_unpair', URL, '')).rejects.toThrow('could not decrypt')
  expect(await node.request('personal_unpair', URL, 'pair')).toBeNull()
})

test('personal_openWallet refuses another password once there is one', async () => {
  const node = createWalletNode()
  await node.request('personal_initializeWallet', URL)
  await node.request('personal_openWallet', URL, 'pair')
  expect(await node.request('personal_openWallet', URL, 'pair')).toBeNull()
  await expect(node.request('personal_openWallet', URL, 'other')).rejects.toMatchObject({
    code: -32000,
    message: 'could not decrypt key with given password',
  })
})

test('an unpaired wallet is paired again with its password, and has the same account', async () => {
  const node = createWalletNode()
  await node.request('personal_initializeWallet', URL)
  const before = await node.request('eth_accounts')
  await node.request('personal_unpair', URL, '')
  await node.request('personal_openWallet', URL, '')
  expect(await node.request('eth_accounts')).toEqual(before)
})

test('a wallet that nobody made is unknown', async () => {
  await expect(createWalletNode().request('personal_openWallet', URL, '')).rejects.toMatchObject({
    code: -32000,
    message: 'unknown wallet',
  })
})
