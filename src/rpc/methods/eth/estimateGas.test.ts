import { expect, test } from 'vitest'
import { ALICE, BOB, CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { fromHex, toHex, toHexDigits } from '../../../base/hex.ts'

test('eth_estimateGas of a plain transfer is 21000', async () => {
  const node = createTestNode({ genesis: { [toHexDigits(ALICE)]: { balance: 10n ** 18n } } })
  const call = { from: toHex(ALICE), to: toHex(BOB), value: '0x1' }
  expect(await node.request('eth_estimateGas', call)).toBe('0x5208')
  expect(await node.request('eth_estimateGas', { to: toHex(BOB) }, 'latest')).toBe('0x5208')
})

test('eth_estimateGas of a call that reverts is error 3 with the data', async () => {
  const node = createTestNode({
    genesis: { [toHexDigits(CONTRACT)]: { code: fromHex('0x365f5f37365ffd') } },
  })
  await expect(
    node.request('eth_estimateGas', { to: toHex(CONTRACT), data: '0xdeadbeef' }),
  ).rejects.toMatchObject({ code: 3, message: 'execution reverted', data: '0xdeadbeef' })
})

test('eth_estimateGas of a call that never ends names the allowance', async () => {
  const node = createTestNode({
    genesis: { [toHexDigits(CONTRACT)]: { code: fromHex('0x5b5f56') } },
  })
  await expect(
    node.request('eth_estimateGas', { to: toHex(CONTRACT), gas: '0x20000' }),
  ).rejects.toMatchObject({ code: -32000, message: 'gas required exceeds allowance (131072)' })
})

test('an estimate under overrides sees them', async () => {
  const node = createTestNode()
  const call = { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}`, value: '0x1' }
  await expect(node.request('eth_estimateGas', call)).rejects.toThrow('insufficient funds')
  const overrides = { [call.from]: { balance: '0x1' } }
  expect(await node.request('eth_estimateGas', call, 'latest', overrides)).toBe('0x5208')
})
