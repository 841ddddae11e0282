import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('debug_getBadBlocks is empty', async () => {
  expect(await createTestNode().request('debug_getBadBlocks')).toEqual([])
})
