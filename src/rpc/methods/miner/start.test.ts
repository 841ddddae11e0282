import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('miner_start | [hex thread count] | unsupported; always returns an error', async () => {
  await expect(createTestNode().request('miner_start', '0x1')).rejects.toMatchObject({
    code: -32000,
    message: 'unsupported rpc function: miner_start',
  })
})
