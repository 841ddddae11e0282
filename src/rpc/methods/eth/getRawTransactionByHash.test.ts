import { expect, test } from 'vitest'
import {
  createTestNode,
  transactionByAlice,
  withThreeBlocks,
} from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_getRawTransactionByHash gives the bytes of included and pending transactions', async () => {
  const node = withThreeBlocks(createTestNode())
  const included = node.chain.transactions(1)?.[0]
  const pending = await node.pool.add(transactionByAlice({ nonce: 9n }).raw)
  if (!included) throw new Error('no transaction')
  for (const { hash, raw } of [included, pending])
    expect(await node.request('eth_getRawTransactionByHash', toHex(hash))).toBe(toHex(raw))
  expect(await node.request('eth_getRawTransactionByHash', `0x${'11'.repeat(32)}`)).toBe('0x')
})
