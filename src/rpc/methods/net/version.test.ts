import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('net_version is the chain id in decimal', async () => {
  expect(await createTestNode().request('net_version')).toBe('271828')
})
