import { expect, test } from 'vitest'
import { createTestNode } from '../../../test/support/rpcNode.ts'

test('admin_peers is empty', async () => {
  expect(await createTestNode().request('admin_peers')).toEqual([])
})
