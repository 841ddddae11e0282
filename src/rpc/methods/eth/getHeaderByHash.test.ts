import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getHeaderByHash gives the header of eth_getHeaderByNumber', async () => {
  const node = withThreeBlocks(createTestNode())
  const header = (await node.request('eth_getHeaderByNumber', '0x1')) as { hash: string }
  expect(await node.request('eth_getHeaderByHash', header.hash)).toEqual(header)
  expect(await node.request('eth_getHeaderByHash', `0x${'11'.repeat(32)}`)).toBeNull()
})
