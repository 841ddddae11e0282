import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getTransactionByBlockHashAndIndex finds a transaction by its place', async () => {
  const node = withThreeBlocks(createTestNode())
  const hash = toHex(node.chain.header(3)?.hash ?? new Uint8Array())
  const name = 'eth_getTransactionByBlockHashAndIndex'
  expect(await node.request(name, hash, '0x0')).toMatchObject({ to: null, transactionIndex: '0x0' })
  expect(await node.request(name, hash, '0x2')).toBeNull()
  expect(await node.request(name, `0x${'11'.repeat(32)}`, '0x0')).toBeNull()
})
