import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'

test('eth_getBalance reads the state of the selected block, the latest by default', async () => {
  const node = createTestNode({ genesis: { [toHexDigits(ALICE)]: { balance: 5n } } })
  const header = node.chain.append([], { [toHexDigits(ALICE)]: { balance: 10n ** 18n } })
  node.chain.append()
  const address = toHex(ALICE)
  expect(await node.request('eth_getBalance', address)).toBe('0xde0b6b3a7640000')
  expect(await node.request('eth_getBalance', address, 'earliest')).toBe('0x5')
  expect(await node.request('eth_getBalance', address, '0x1')).toBe('0xde0b6b3a7640000')
  expect(await node.request('eth_getBalance', address, toHex(header.hash))).toBe(
    '0xde0b6b3a7640000',
  )
})

test('eth_getBalance of an account that does not exist is 0x0', async () => {
  expect(await createTestNode().request('eth_getBalance', toHex(BOB), 'latest')).toBe('0x0')
})

test('eth_getBalance refuses a short address', async () => {
  await expect(createTestNode().request('eth_getBalance', '0x1234')).rejects.toMatchObject({
    code: -32602,
  })
})
