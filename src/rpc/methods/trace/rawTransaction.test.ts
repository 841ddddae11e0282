import { expect, test } from 'vitest'
import { BOB, transactionByAlice } from '../../../../test/support/rpcNode.ts'
import { createTracedNode } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

test('trace_rawTransaction shows what a signed transaction would do', async () => {
  const node = createTracedNode()
  const raw = toHex(transactionByAlice({ value: 7n }).raw)
  expect(await node.request('trace_rawTransaction', raw, ['trace', 'stateDiff'])).toMatchObject({
    output: '0x',
    trace: [{ action: { to: toHex(BOB), value: '0x7' }, type: 'call' }],
    stateDiff: { [toHex(BOB)]: { balance: { '+': '0x7' } } },
  })
})

test('bytes that are no transaction are refused', async () => {
  await expect(
    createTracedNode().request('trace_rawTransaction', '0x02', ['trace']),
  ).rejects.toMatchObject({ code: -32000 })
})
