import { expect, test } from 'vitest'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'

test('trace_block gives the flat traces of all transactions of a block, in order', async () => {
  const node = createTracedNode()
  const traces = (await node.request('trace_block', '0x1')) as { transactionHash: string }[]
  expect(traces.map(({ transactionHash }) => transactionHash)).toEqual(
    [0, 0, 0, 1, 2].map((index) => hashOf(node, index)),
  )
  expect(await node.request('trace_block', '0x2')).toEqual([])
  expect(await node.request('trace_block', '0x9')).toBeNull()
})
