import { expect, test } from 'vitest'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

const call = { from: toHex(ALICE), to: toHex(CONTRACT) }

test('debug_traceCall traces a call that is in no block', async () => {
  expect(
    await createTracedNode().request('debug_traceCall', call, 'latest', { tracer: 'callTracer' }),
  ).toMatchObject({ to: toHex(CONTRACT), calls: [{ to: toHex(CALLEE) }, {}, {}] })
})

test('state and block overrides hold in it', async () => {
  // NUMBER, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const code = '0x435f5260205ff3'
  expect(
    await createTracedNode().request('debug_traceCall', call, 'latest', {
      tracer: 'callTracer',
      stateOverrides: { [toHex(CONTRACT)]: { code } },
      blockOverrides: { number: '0x77' },
    }),
  ).toMatchObject({ output: `0x${'0'.repeat(62)}77` })
})

test('what even a call must satisfy is checked', async () => {
  await expect(
    createTracedNode().request('debug_traceCall', { ...call, gas: '0x1' }, 'latest'),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'tracing failed: intrinsic gas too low: have 1, want 21000',
  })
})

test('a trace that takes too long ends with an error', async () => {
  // JUMPDEST, PUSH0, JUMP: never ends by itself.
  const config = { timeout: '1ms', stateOverrides: { [toHex(CONTRACT)]: { code: '0x5b5f56' } } }
  await expect(
    createTracedNode().request('debug_traceCall', call, 'latest', config),
  ).rejects.toMatchObject({ code: -32000, message: 'execution timeout' })
})
