import fs from 'node:fs'
import path from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createWalletNode } from '../../../../test/support/walletNode.ts'

test('personal_initializeWallet | [url] | new private key: 32 bytes, whose account is then listed (D15)', async () => {
  const node = createWalletNode()
  const key = String(await node.request('personal_initializeWallet', 'keystore://cold'))
  expect(key).toMatch(/^0x[0-9a-f]{64}$/)
  const address = privateKeyToAddress(key as `0x${string}`).toLowerCase()
  expect(await node.request('eth_accounts')).toEqual([address])
  expect(await node.request('personal_unlockAccount', address, '')).toBe(true)
})

// Holds D15.
test('the key stands encrypted in a file for its owner alone, and is given only once', async () => {
  const node = createWalletNode()
  const key = String(await node.request('personal_initializeWallet', 'keystore://cold'))
  const file = path.join(node.folder, 'wallet--cold')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.readFileSync(file, 'utf8')).not.toContain(key.slice(2))
  await expect(node.request('personal_initializeWallet', 'keystore://cold')).rejects.toMatchObject({
    code: -32000,
    message: 'wallet is initialized already',
  })
})

test.each(['ledger://x', 'keystore://', 'keystore://../x', 'keystore://a/b', ''])(
  '%s is refused with the scheme that is supported',
  async (url) => {
    await expect(
      createWalletNode().request('personal_initializeWallet', url),
    ).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('use keystore://<name>') as string,
    })
  },
)
