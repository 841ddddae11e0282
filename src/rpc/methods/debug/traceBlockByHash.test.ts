import { expect, test } from 'vitest'
import { createTracedNode } from '../../../../test/support/tracedNode.ts'

test('debug_traceBlockByHash gives what debug_traceBlockByNumber gives', async () => {
  const node = createTracedNode()
  const { hash } = (await node.request('eth_getBlockByNumber', '0x1', false)) as { hash: string }
  expect(await node.request('debug_traceBlockByHash', hash, { tracer: 'callTracer' })).toEqual(
    await node.request('debug_traceBlockByNumber', '0x1', { tracer: 'callTracer' }),
  )
})

test('an unknown hash is an error', async () => {
  await expect(
    createTracedNode().request('debug_traceBlockByHash', `0x${'11'.repeat(32)}`),
  ).rejects.toMatchObject({ code: -32000, message: `block 0x${'11'.repeat(32)} not found` })
})
