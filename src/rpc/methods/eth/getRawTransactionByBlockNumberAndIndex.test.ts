import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getRawTransactionByBlockNumberAndIndex gives the bytes at an index, or 0x', async () => {
  const node = withThreeBlocks(createTestNode())
  const method = 'eth_getRawTransactionByBlockNumberAndIndex'
  const raw = node.chain.transactions(1)?.[1]?.raw
  expect(await node.request(method, '0x1', '0x1')).toBe(raw && toHex(raw))
  expect(await node.request(method, '0x1', '0x2')).toBe('0x')
})
