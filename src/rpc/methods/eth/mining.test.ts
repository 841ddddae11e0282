import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_mining is false', async () => {
  expect(await createTestNode().request('eth_mining')).toBe(false)
})
