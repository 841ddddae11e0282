import { expect, test } from 'vitest'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'

test('debug_traceBlockByNumber | [block number, trace config] | array of objects with key result', async () => {
  const node = createTracedNode()
  const traces = await node.request('debug_traceBlockByNumber', '0x1', { tracer: 'callTracer' })
  expect(traces).toMatchObject([
    { txHash: hashOf(node, 0), result: { type: 'CALL' } },
    { txHash: hashOf(node, 1), result: { gasUsed: '0x5208' } },
    { txHash: hashOf(node, 2), result: { error: 'execution reverted' } },
  ])
})

test('each result is what debug_traceTransaction gives', async () => {
  const node = createTracedNode()
  const traces = (await node.request('debug_traceBlockByNumber', '0x1')) as { result: unknown }[]
  for (const [index, { result }] of traces.entries())
    expect(result).toEqual(await node.request('debug_traceTransaction', hashOf(node, index)))
})

test.each(['0x2', 'latest'])('a block without transactions has no traces: %s', async (block) => {
  expect(await createTracedNode().request('debug_traceBlockByNumber', block)).toEqual([])
})

test('an unknown block is an error', async () => {
  await expect(createTracedNode().request('debug_traceBlockByNumber', '0x9')).rejects.toMatchObject(
    {
      code: -32000,
      message: 'block #9 not found',
    },
  )
})

test('the genesis has nothing before it to run on', async () => {
  const node = createTracedNode()
  for (const block of ['0x0', 'earliest'])
    await expect(node.request('debug_traceBlockByNumber', block)).rejects.toMatchObject({
      code: -32000,
      message: 'genesis is not traceable',
    })
})
