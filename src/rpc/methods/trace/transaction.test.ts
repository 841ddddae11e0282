import { expect, test } from 'vitest'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'

test('trace_transaction gives flat traces, with errors in the words of OpenEthereum', async () => {
  const node = createTracedNode()
  expect(await node.request('trace_transaction', hashOf(node, 0))).toMatchObject([
    { traceAddress: [], subtraces: 2, blockNumber: 1 },
    { traceAddress: [0] },
    { traceAddress: [1], error: 'Reverted' },
  ])
  expect(await node.request('trace_transaction', `0x${'11'.repeat(32)}`)).toBeNull()
})
