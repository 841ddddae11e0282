import { expect, test } from 'vitest'
import { createTracedNode } from '../../../../test/support/tracedNode.ts'

test('debug_traceBlock traces the block that debug_getRawBlock gives', async () => {
  const node = createTracedNode()
  const raw = await node.request('debug_getRawBlock', '0x1')
  expect(await node.request('debug_traceBlock', raw, { tracer: 'callTracer' })).toEqual(
    await node.request('debug_traceBlockByNumber', '0x1', { tracer: 'callTracer' }),
  )
})

test('a block that is not of this chain, and bytes that are no block, are errors', async () => {
  const node = createTracedNode()
  const raw = String(await node.request('debug_getRawBlock', '0x1'))
  const changed = `${raw.slice(0, 20)}${raw[20] === '0' ? '1' : '0'}${raw.slice(21)}`
  for (const [bytes, message] of [
    [changed, 'block not found'],
    ['0x', 'could not decode block'],
    ['0xc0', 'could not decode block: not a block'],
    ['0xc1c0', 'could not decode block: not a block'],
    ['0xff', 'could not decode block'],
  ] as const)
    await expect(node.request('debug_traceBlock', bytes)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining(message),
    })
})
