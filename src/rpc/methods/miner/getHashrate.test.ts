import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('miner_getHashrate | none | always the number 0', async () => {
  expect(await createTestNode().request('miner_getHashrate')).toBe(0)
})
