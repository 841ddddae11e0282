import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

const KEY = '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d'
const ADDRESS = '0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1'

test('personal_importRawKey | [privkey without prefix, password] | address of new account', async () => {
  const node = createTestNode()
  expect(await node.request('personal_importRawKey', KEY, 'secret')).toBe(ADDRESS)
  expect(await node.request('personal_listAccounts')).toContain(ADDRESS)
  expect(await node.request('personal_sign', '0x00', ADDRESS, 'secret')).toMatch(/^0x/)
})

test('a known key with its own password gives the address, with another one an error (D43)', async () => {
  const node = createTestNode()
  await node.request('personal_importRawKey', KEY, 'secret')
  expect(await node.request('personal_importRawKey', KEY, 'secret')).toBe(ADDRESS)
  await expect(node.request('personal_importRawKey', KEY, 'other')).rejects.toMatchObject({
    code: -32000,
    message: 'account already exists',
  })
})

test.each([
  [`0x${KEY}`, "invalid hex character 'x' in private key"],
  [KEY.slice(2), 'invalid length, need 256 bits'],
  ['00'.repeat(32), 'invalid private key'],
  [KEY.replace('4', 'g'), "invalid hex character 'g' in private key"],
])('a bad key is refused without being repeated', async (key, message) => {
  await expect(
    createTestNode().request('personal_importRawKey', key, 'secret'),
  ).rejects.toMatchObject({ code: -32000, message })
  expect(message).not.toContain(KEY.slice(2))
})

test('the accounts of the node stay as they were when an import fails', async () => {
  const node = createTestNode()
  await expect(node.request('personal_importRawKey', '00', '')).rejects.toThrow('invalid length')
  expect(await node.request('eth_accounts')).toEqual([toHex(ALICE), toHex(BOB)])
})
