import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getBlockByHash gives the same block as its number', async () => {
  const node = createTestNode()
  const { hash } = node.chain.append()
  expect(await node.request('eth_getBlockByHash', toHex(hash), true)).toEqual(
    await node.request('eth_getBlockByNumber', '0x1', true),
  )
})

test('eth_getBlockByHash of an unknown hash is null', async () => {
  expect(
    await createTestNode().request('eth_getBlockByHash', `0x${'11'.repeat(32)}`, false),
  ).toBeNull()
})
