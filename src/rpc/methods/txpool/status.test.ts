import { expect, test } from 'vitest'
import { createTestNode, transactionByAlice } from '../../../../test/support/rpcNode.ts'

test('txpool_status | object with keys pending and queued, each a QUANTITY count', async () => {
  const node = createTestNode()
  await node.pool.add(transactionByAlice().raw)
  expect(await node.request('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
})
