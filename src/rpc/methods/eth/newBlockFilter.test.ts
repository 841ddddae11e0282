import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('a block filter reports the hashes of new blocks, once each', async () => {
  const node = createTestNode()
  node.chain.append()
  const id = await node.request('eth_newBlockFilter')
  const hashes = [node.chain.append(), node.chain.append()].map(({ hash }) => toHex(hash))
  expect(await node.request('eth_getFilterChanges', id)).toEqual(hashes)
  expect(await node.request('eth_getFilterChanges', id)).toEqual([])
})
