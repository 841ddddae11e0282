import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('net_listening is true', async () => {
  expect(await createTestNode().request('net_listening')).toBe(true)
})
