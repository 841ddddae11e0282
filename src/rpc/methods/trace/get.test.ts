import { expect, test } from 'vitest'
import { createTracedNode, hashOf, REVERTER } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

test('trace_get gives the trace at a place, or null', async () => {
  const node = createTracedNode()
  expect(await node.request('trace_get', hashOf(node, 0), ['0x1'])).toMatchObject({
    action: { to: toHex(REVERTER) },
  })
  expect(await node.request('trace_get', hashOf(node, 0), ['0x7'])).toBeNull()
})
