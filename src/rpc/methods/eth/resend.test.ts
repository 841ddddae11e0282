import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

const call = { from: toHex(ALICE), to: toHex(BOB), value: '0x1', nonce: '0x0', gas: '0x5208' }

test('eth_resend sends the same transaction again at another price and limit', async () => {
  const node = createTestNode()
  await node.request('eth_sendTransaction', call)
  const hash = String(await node.request('eth_resend', call, '0x12a05f200', '0x6000'))
  expect(await node.request('eth_getTransactionByHash', hash)).toMatchObject({
    nonce: '0x0',
    value: '0x1',
    gas: '0x6000',
    gasPrice: '0x12a05f200',
  })
})

test.each([
  [{ ...call, nonce: undefined }, 'missing transaction nonce in transaction spec'],
  [{ ...call, value: '0x2' }, /^transaction 0x[0-9a-f]{64} not found$/],
])('%j is refused', async (other, message) => {
  const node = createTestNode()
  await node.request('eth_sendTransaction', call)
  await expect(node.request('eth_resend', other, '0x12a05f200')).rejects.toThrow(message)
})
