import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test.each(['0x00', `0x${'00'.repeat(32)}`, 'text'])(
  'miner_setExtra | [data] | unsupported; always returns an error: %s',
  async (extra) => {
    await expect(createTestNode().request('miner_setExtra', extra)).rejects.toMatchObject({
      code: -32000,
      message: 'unsupported rpc function: miner_setExtra',
    })
  },
)

test('miner_setExtra data | capped at 32 bytes', async () => {
  await expect(
    createTestNode().request('miner_setExtra', `0x${'00'.repeat(33)}`),
  ).rejects.toMatchObject({ code: -32000, message: 'extra exceeds max length. 33 > 32' })
})
