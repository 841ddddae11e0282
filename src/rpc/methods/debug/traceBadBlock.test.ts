import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('debug_traceBadBlock finds no bad block', async () => {
  const hash = `0x${'ab'.repeat(32)}`
  await expect(createTestNode().request('debug_traceBadBlock', hash)).rejects.toMatchObject({
    code: -32000,
    message: `bad block ${hash} not found`,
  })
})
