import { verifyTypedData } from 'viem'
import { expect, test } from 'vitest'
import { ALICE, createTestNode } from '../../../test/support/rpcNode.ts'
import { toHex } from '../../base/hex.ts'

const data = {
  types: { Greeting: [{ name: 'text', type: 'string' }] },
  primaryType: 'Greeting',
  domain: { name: 'Test', chainId: 271_828 },
  message: { text: 'hello' },
} as const

const METHODS = ['eth_signTypedData', 'eth_signTypedData_v4']

test.each(METHODS)(
  '%s signs typed data so that libraries recover the signer, from an object or its text',
  async (method) => {
    const node = createTestNode()
    const address = toHex(ALICE)
    for (const given of [data, JSON.stringify(data)]) {
      const signature = String(await node.request(method, address, given)) as `0x${string}`
      expect(await verifyTypedData({ ...data, address, signature })).toBe(true)
    }
  },
)

test.each([
  ['{', -32602],
  [{}, -32602],
  [{ ...data, primaryType: 'Other' }, -32000],
])('typed data that is none is refused: %j', async (given, code) => {
  const node = createTestNode()
  for (const method of METHODS)
    await expect(node.request(method, toHex(ALICE), given)).rejects.toMatchObject({ code })
})
