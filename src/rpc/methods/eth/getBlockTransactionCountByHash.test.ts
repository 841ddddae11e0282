import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getBlockTransactionCountByHash is a QUANTITY, and null for an unknown hash', async () => {
  const node = withThreeBlocks(createTestNode())
  const hash = toHex(node.chain.header(3)?.hash ?? new Uint8Array())
  expect(await node.request('eth_getBlockTransactionCountByHash', hash)).toBe('0x2')
  expect(
    await node.request('eth_getBlockTransactionCountByHash', `0x${'11'.repeat(32)}`),
  ).toBeNull()
})
