import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { fromHex } from '../../../base/hex.ts'
import { decodeRlp } from '../../../base/rlp.ts'

test('debug_getRawBlock is RLP of header, transactions and uncles', async () => {
  const node = withThreeBlocks(createTestNode())
  const items = decodeRlp(fromHex(String(await node.request('debug_getRawBlock', '0x1'))))
  expect(items).toHaveLength(3)
  expect(items[1]).toHaveLength(2)
})

test('an unknown block is an error', async () => {
  await expect(createTestNode().request('debug_getRawBlock', '0x9')).rejects.toMatchObject({
    code: -32000,
  })
})
