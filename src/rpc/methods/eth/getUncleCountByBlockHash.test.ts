import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getUncleCountByBlockHash is 0x0, and null for an unknown hash', async () => {
  const node = createTestNode()
  const { hash } = node.chain.append()
  expect(await node.request('eth_getUncleCountByBlockHash', toHex(hash))).toBe('0x0')
  expect(await node.request('eth_getUncleCountByBlockHash', `0x${'11'.repeat(32)}`)).toBeNull()
})
