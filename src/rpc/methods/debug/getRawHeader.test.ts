import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { fromHex } from '../../../base/hex.ts'
import { decodeRlp } from '../../../base/rlp.ts'

test('debug_getRawHeader is RLP of the 16 fields of a header', async () => {
  const node = withThreeBlocks(createTestNode())
  const items = decodeRlp(fromHex(String(await node.request('debug_getRawHeader', '0x1'))))
  expect(items).toHaveLength(16)
  expect(items[3]).toEqual(node.chain.header(1)?.stateRoot)
})

test('an unknown block is an error', async () => {
  await expect(createTestNode().request('debug_getRawHeader', '0x9')).rejects.toMatchObject({
    code: -32000,
  })
})
