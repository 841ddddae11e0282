import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_getTransactionByBlockNumberAndIndex finds a transaction by its place', async () => {
  const node = withThreeBlocks(createTestNode())
  const name = 'eth_getTransactionByBlockNumberAndIndex'
  expect(await node.request(name, 'latest', '0x1')).toMatchObject({ type: '0x1', nonce: '0x3' })
  expect(await node.request(name, '0x2', '0x0')).toBeNull()
  expect(await node.request(name, '0x9', '0x0')).toBeNull()
})
