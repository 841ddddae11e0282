import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

const call = {
  from: toHex(ALICE),
  to: toHex(BOB),
  gas: '0x5208',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x1',
  nonce: '0x0',
}

test('eth_signTransaction gives bytes that eth_sendRawTransaction takes, and sends nothing itself', async () => {
  const node = createTestNode()
  const { raw, tx } = (await node.request('eth_signTransaction', call)) as {
    raw: string
    tx: { hash: string }
  }
  expect(node.pool.counts().pending).toBe(0)
  expect(await node.request('eth_sendRawTransaction', raw)).toBe(tx.hash)
})

test.each([
  [{ ...call, gas: undefined }, 'gas not specified'],
  [{ ...call, maxFeePerGas: undefined }, 'missing gasPrice or maxFeePerGas/maxPriorityFeePerGas'],
  [{ ...call, nonce: undefined }, 'nonce not specified'],
  [{ ...call, from: toHex(BOB) }, 'authentication needed: password or unlock'],
])('%j is refused', async (transaction, message) => {
  await expect(createTestNode().request('eth_signTransaction', transaction)).rejects.toMatchObject({
    code: -32000,
    message,
  })
})
