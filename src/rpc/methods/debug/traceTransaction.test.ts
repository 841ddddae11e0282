import { expect, test } from 'vitest'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode, hashOf, REVERTER } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

const alice = toHex(ALICE)
const contract = toHex(CONTRACT)
const callee = toHex(CALLEE)
const reverter = toHex(REVERTER)

function trace(index: number, config?: object): Promise<unknown> {
  const node = createTracedNode()
  return node.request('debug_traceTransaction', hashOf(node, index), ...(config ? [config] : []))
}

// Holds D16.
test('debug_traceTransaction | [transaction hash, trace config] | the struct logger without a tracer', async () => {
  const result = (await trace(0)) as {
    gas: number
    failed: boolean
    returnValue: string
    structLogs: { pc: number; op: string; gas: number; gasCost: number; depth: number }[]
  }
  expect(result).toMatchObject({ failed: false, returnValue: '0x' })
  expect(result.structLogs[0]).toEqual({
    pc: 0,
    op: 'PUSH4',
    gas: expect.any(Number) as number,
    gasCost: 3,
    depth: 1,
    stack: [],
  })
  expect(result.structLogs.find(({ op }) => op === 'SSTORE')).toMatchObject({
    depth: 2,
    gasCost: 22_100,
    storage: { [`0x${'0'.repeat(63)}1`]: `0x${'0'.repeat(63)}7` },
  })
  // The cost of each step determines the gas of the next one in the same frame.
  const plain = result.structLogs.filter(({ depth }) => depth === 2)
  for (const [index, step] of plain.slice(0, 5).entries())
    expect(plain[index + 1]?.gas).toBe(step.gas - step.gasCost)
})

test('flags of the struct logger leave out and add what they say, and limit ends it early', async () => {
  const { structLogs } = (await trace(0, {
    disableStack: true,
    disableStorage: true,
    enableMemory: true,
    limit: 12,
  })) as { structLogs: object[] }
  expect(structLogs).toHaveLength(12)
  expect(structLogs[0]).not.toHaveProperty('stack')
  // Empty memory is omitted, as in go-ethereum.
  expect(structLogs[0]).not.toHaveProperty('memory')
  expect(structLogs.some((step) => 'memory' in step)).toBe(true)
})

test('callTracer shows the calls, the revert with its reason, and logs on demand', async () => {
  const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  expect(await trace(0, config)).toMatchObject({
    type: 'CALL',
    from: alice,
    to: contract,
    gas: '0x30d40',
    value: '0x0',
    calls: [
      {
        type: 'CALL',
        from: contract,
        to: callee,
        input: '0x01020304',
        output: `0x${'0'.repeat(63)}1`,
        logs: [{ address: callee, data: '0x', index: '0x0', position: '0x0' }],
      },
      { type: 'CALL', to: reverter, error: 'execution reverted', revertReason: 'no' },
      { type: 'STATICCALL', to: `0x${'0'.repeat(39)}4` },
    ],
  })
})

test('predecessors in the block are replayed before the transaction', async () => {
  expect(await trace(2, { tracer: 'callTracer' })).toMatchObject({
    error: 'execution reverted',
    revertReason: 'no',
  })
  expect(await trace(1, { tracer: 'prestateTracer' })).toMatchObject({ [alice]: { nonce: 1 } })
})

test('prestateTracer shows what was touched; with diffMode what changed', async () => {
  const slot = `0x${'0'.repeat(63)}1`
  expect(await trace(0, { tracer: 'prestateTracer' })).toMatchObject({
    [alice]: { balance: '0x3635c9adc5dea00000' },
    [contract]: { nonce: 1, storage: { [`0x${'0'.repeat(63)}9`]: `0x${'0'.repeat(64)}` } },
    [callee]: { storage: { [slot]: `0x${'0'.repeat(64)}` } },
  })
  const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const { pre, post } = (await trace(0, diff)) as Record<'pre' | 'post', Record<string, object>>
  expect(post[callee]).toEqual({ storage: { [slot]: `0x${'0'.repeat(63)}7` } })
  expect(pre[callee]).not.toHaveProperty('storage')
  expect(post).not.toHaveProperty([reverter])
})

test('flatCallTracer lists the calls with their places, without precompiles', async () => {
  const flat = (await trace(0, { tracer: 'flatCallTracer' })) as object[]
  expect(flat).toHaveLength(3)
  expect(flat[0]).toMatchObject({
    type: 'call',
    subtraces: 2,
    traceAddress: [],
    blockNumber: 1,
    transactionPosition: 0,
  })
  expect(flat[2]).toMatchObject({ error: 'execution reverted', traceAddress: [1] })
  const config = { convertParityErrors: true, includePrecompiles: true }
  const all = (await trace(0, { tracer: 'flatCallTracer', tracerConfig: config })) as object[]
  expect(all).toHaveLength(4)
  expect(all[2]).toMatchObject({ error: 'Reverted' })
})

test('4byteTracer, noopTracer and muxTracer', async () => {
  const counts = { '0xaabbccdd-32': 1, '0x01020304-0': 1 }
  expect(await trace(0, { tracer: '4byteTracer' })).toEqual(counts)
  expect(await trace(0, { tracer: 'noopTracer' })).toEqual({})
  expect(
    await trace(0, { tracer: 'muxTracer', tracerConfig: { '4byteTracer': null, callTracer: {} } }),
  ).toMatchObject({ '4byteTracer': counts, callTracer: { type: 'CALL' } })
})

test.each([
  [{ tracer: 'nope' }, -32000, 'tracer not found: nope'],
  [
    { tracer: 'callTracer', tracerConfig: { withLog: 1 } },
    -32000,
    expect.stringContaining('withLog'),
  ],
  [{ timeout: 'soon' }, -32602, expect.stringContaining('invalid duration')],
  [{ limit: -1 }, -32602, expect.stringContaining('output limit cannot be negative')],
])('%j is refused', async (config, code, message) => {
  await expect(trace(0, config)).rejects.toMatchObject({ code, message })
})

test('an unknown transaction is an error', async () => {
  await expect(
    createTracedNode().request('debug_traceTransaction', `0x${'11'.repeat(32)}`),
  ).rejects.toMatchObject({ code: -32000, message: 'transaction not found' })
})
