import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('debug_getRawTransaction gives the bytes of a transaction, or 0x', async () => {
  const node = createTestNode()
  const { hash, raw } = await node.pool.add(transactionByAlice().raw)
  expect(await node.request('debug_getRawTransaction', toHex(hash))).toBe(toHex(raw))
  expect(await node.request('debug_getRawTransaction', `0x${'11'.repeat(32)}`)).toBe('0x')
})
