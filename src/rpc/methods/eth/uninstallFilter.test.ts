import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_uninstallFilter removes a filter once', async () => {
  const node = createTestNode()
  const id = await node.request('eth_newBlockFilter')
  expect(await node.request('eth_uninstallFilter', id)).toBe(true)
  expect(await node.request('eth_uninstallFilter', id)).toBe(false)
  await expect(node.request('eth_getFilterChanges', id)).rejects.toMatchObject({
    code: -32000,
    message: 'filter not found',
  })
})
