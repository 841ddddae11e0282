import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('admin_datadir is the home folder', async () => {
  expect(await createTestNode().request('admin_datadir')).toBe('/home/assay')
})
