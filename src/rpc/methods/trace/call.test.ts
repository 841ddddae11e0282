import { expect, test } from 'vitest'
import { CALLEE, createTracedNode } from '../../../../test/support/tracedNode.ts'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('trace_call shows the traces and the differences of a call, as far as they are asked for', async () => {
  const node = createTracedNode()
  const call = { from: toHex(ALICE), to: toHex(CONTRACT) }
  const slot = `0x${'0'.repeat(63)}1`
  expect(await node.request('trace_call', call, ['trace', 'stateDiff'], 'latest')).toMatchObject({
    output: '0x',
    trace: [{}, {}, { error: 'Reverted' }],
    stateDiff: {
      [toHex(CALLEE)]: {
        balance: '=',
        nonce: '=',
        code: '=',
        storage: { [slot]: { '*': { from: `0x${'0'.repeat(64)}`, to: `0x${'0'.repeat(63)}7` } } },
      },
      [toHex(ALICE)]: { nonce: { '*': { from: '0x0', to: '0x1' } } },
    },
    vmTrace: null,
  })
  expect(await node.request('trace_call', call, [])).toMatchObject({ trace: [], stateDiff: null })
})
