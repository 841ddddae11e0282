import { expect, test } from 'vitest'
import { CALLEE, createTracedNode } from '../../../../test/support/tracedNode.ts'
import { CONTRACT } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('trace_filter finds traces by sender and recipient, and counts', async () => {
  const node = createTracedNode()
  const range = { fromBlock: '0x0', toBlock: 'latest' }
  expect(
    await node.request('trace_filter', { ...range, toAddress: [toHex(CALLEE)] }),
  ).toMatchObject([{ action: { from: toHex(CONTRACT), to: toHex(CALLEE) } }])
  expect(
    await node.request('trace_filter', { ...range, fromAddress: [toHex(CONTRACT)] }),
  ).toHaveLength(2)
  expect(await node.request('trace_filter', { ...range, after: 1, count: 2 })).toMatchObject([
    { traceAddress: [0] },
    { traceAddress: [1] },
  ])
})

test('a range that is none is refused', async () => {
  await expect(
    createTracedNode().request('trace_filter', { fromBlock: '0x2', toBlock: '0x1' }),
  ).rejects.toMatchObject({ code: -32602 })
})
