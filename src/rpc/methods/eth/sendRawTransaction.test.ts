import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_sendRawTransaction gives the hash of what the pool took', async () => {
  const node = createTestNode()
  const { raw, hash } = transactionByAlice()
  expect(await node.request('eth_sendRawTransaction', toHex(raw))).toBe(toHex(hash))
  expect(node.pool.get(hash)).toBeDefined()
})

test("a refusal carries the pool's words", async () => {
  const node = createTestNode()
  node.pool.refuseNext('nonce too low: next nonce 5, tx nonce 0')
  await expect(
    node.request('eth_sendRawTransaction', toHex(transactionByAlice().raw)),
  ).rejects.toMatchObject({ code: -32000, message: 'nonce too low: next nonce 5, tx nonce 0' })
})

test.each(['0x', '0x03', '0xf8', `0x${'ff'.repeat(100)}`])(
  'undecodable bytes %s are an error',
  async (raw) => {
    await expect(createTestNode().request('eth_sendRawTransaction', raw)).rejects.toMatchObject({
      code: -32000,
    })
  },
)
