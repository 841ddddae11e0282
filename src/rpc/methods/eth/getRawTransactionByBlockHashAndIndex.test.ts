import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getRawTransactionByBlockHashAndIndex gives the bytes at an index, or 0x', async () => {
  const node = withThreeBlocks(createTestNode())
  const { hash } = (await node.request('eth_getBlockByNumber', '0x1', false)) as { hash: string }
  const method = 'eth_getRawTransactionByBlockHashAndIndex'
  const raw = node.chain.transactions(1)?.[1]?.raw
  expect(await node.request(method, hash, '0x1')).toBe(raw && toHex(raw))
  expect(await node.request(method, hash, '0x2')).toBe('0x')
})
