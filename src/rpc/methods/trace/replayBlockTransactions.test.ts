import { expect, test } from 'vitest'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'

test('trace_replayBlockTransactions shows each transaction with its hash', async () => {
  const node = createTracedNode()
  expect(await node.request('trace_replayBlockTransactions', '0x1', ['trace'])).toMatchObject(
    [0, 1, 2].map((index) => ({ transactionHash: hashOf(node, index), stateDiff: null })),
  )
})
