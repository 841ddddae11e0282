import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('miner_setGasLimit | [hex gas limit] | unsupported; always returns false', async () => {
  expect(await createTestNode().request('miner_setGasLimit', '0x1c9c380')).toBe(false)
})
