import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('miner_stop | none | unsupported; no-op', async () => {
  expect(await createTestNode().request('miner_stop')).toBeNull()
})
