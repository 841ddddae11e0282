import { expect, test } from 'vitest'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'
import { ALICE } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('trace_replayTransaction shows what trace_transaction shows but for the place, and what changed', async () => {
  const node = createTracedNode()
  const replay = (await node.request('trace_replayTransaction', hashOf(node, 0), [
    'trace',
    'stateDiff',
  ])) as { trace: unknown; stateDiff: Record<string, object> }
  const traces = await node.request('trace_transaction', hashOf(node, 0))
  const place = new Set(['blockHash', 'blockNumber', 'transactionHash', 'transactionPosition'])
  expect(replay.trace).toEqual(
    (traces as object[]).map((trace) =>
      Object.fromEntries(Object.entries(trace).filter(([key]) => !place.has(key))),
    ),
  )
  expect(replay.stateDiff[toHex(ALICE)]).toMatchObject({
    nonce: { '*': { from: '0x0', to: '0x1' } },
  })
})

test('an unknown transaction is an error', async () => {
  await expect(
    createTracedNode().request('trace_replayTransaction', `0x${'11'.repeat(32)}`, []),
  ).rejects.toMatchObject({ code: -32000, message: 'transaction not found' })
})
