import { expect, test } from 'vitest'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

const node = createTracedNode()

function trace(tracer: string, more: object = {}, index = 0): Promise<unknown> {
  return node.request('debug_traceTransaction', hashOf(node, index), { tracer, ...more })
}

const native = (config: object = {}, index = 0): Promise<unknown> =>
  node.request('debug_traceTransaction', hashOf(node, index), config)

type Steps = { readonly structLogs: readonly Record<string, unknown>[] }

test('a tracer that does nothing answers what it likes', async () => {
  expect(
    await trace('{step: function() {}, fault: function() {}, result: function() { return {} }}'),
  ).toEqual(await native({ tracer: 'noopTracer' }))
})

test('opcodes are counted as the default tracer counts them', async () => {
  const { structLogs } = (await native()) as Steps
  expect(
    await trace(
      '{n: 0, step: function() { this.n++ }, fault: function() {}, result: function() { return this.n }}',
    ),
  ).toBe(structLogs.length)
})

test('every step is told as the default tracer tells it', async () => {
  const { structLogs } = (await native({ enableMemory: true })) as Steps
  const seen = await trace(`{
    steps: [],
    step: function(log) {
      var stack = []
      for (var i = log.stack.length() - 1; i >= 0; i--) stack.push('0x' + log.stack.peek(i).toString(16))
      var memory = []
      for (var at = 0; at < log.memory.length(); at += 32) memory.push(toHex(log.memory.slice(at, at + 32)))
      this.steps.push({
        pc: log.getPC(), op: log.op.toString(), gas: log.getGas(), cost: log.getCost(), depth: log.getDepth(), stack: stack,
        memory: memory.length > 0 ? memory : undefined,
      })
    },
    fault: function() {},
    result: function() { return this.steps },
  }`)
  expect(seen).toEqual(
    structLogs.map(({ pc, op, gas, gasCost: cost, depth, stack, memory }) => ({
      pc,
      op,
      gas,
      cost,
      depth,
      stack,
      ...(memory !== undefined && { memory }),
    })),
  )
})

const CALLS = `{
  stack: [{calls: []}],
  enter: function(frame) {
    this.stack.push({
      type: frame.getType(), from: toHex(frame.getFrom()), to: toHex(frame.getTo()),
      input: toHex(frame.getInput()), gas: '0x' + bigInt(frame.getGas()).toString(16),
      value: frame.getValue() === undefined ? undefined : '0x' + frame.getValue().toString(16),
    })
  },
  exit: function(result) {
    var call = this.stack.pop()
    call.gasUsed = '0x' + bigInt(result.getGasUsed()).toString(16)
    var outer = this.stack[this.stack.length - 1]
    if (result.getError() !== undefined) call.error = result.getError()
    if (result.getOutput().length > 0) call.output = toHex(result.getOutput())
    outer.calls = (outer.calls || []).concat([call])
  },
  fault: function() {},
  result: function(ctx) {
    return {
      type: ctx.type, from: toHex(ctx.from), to: toHex(ctx.to), input: toHex(ctx.input),
      gas: '0x' + bigInt(ctx.gas).toString(16), gasUsed: '0x' + bigInt(ctx.gasUsed).toString(16),
      value: '0x' + ctx.value.toString(16), calls: this.stack[0].calls,
    }
  },
}`

test('a tracer of calls sees what callTracer sees', async () => {
  const expected = (await native({ tracer: 'callTracer' })) as {
    calls: { revertReason?: string }[]
  }
  const calls = expected.calls.map(({ revertReason: _reason, ...call }) => call)
  expect(await trace(CALLS)).toEqual({ ...expected, calls })
})

test('the contract of a frame, its caller, value and input', async () => {
  expect(
    await trace(`{
      seen: {},
      step: function(log) {
        var c = log.contract
        this.seen[log.getDepth() + ':' + toHex(c.getAddress())] =
          [toHex(c.getCaller()), toHex(c.getInput()).slice(0, 10), c.getValue().toString()]
      },
      fault: function() {},
      result: function() { return this.seen },
    }`),
  ).toMatchObject({
    [`1:${toHex(CONTRACT)}`]: [toHex(ALICE), '0xaabbccdd', '0'],
    [`2:${toHex(CALLEE)}`]: [toHex(CONTRACT), '0x01020304', '0'],
  })
})

// Holds D16b.
test('stores, the configuration, faults and the state before are told', async () => {
  expect(
    await trace(
      `{
        stores: {}, faults: [],
        setup: function(config) { this.config = JSON.parse(config) },
        step: function(log, db) {
          if (log.op.toNumber() !== 0x55) return
          var slot = toWord(log.stack.peek(0).toString(16))
          this.stores[toHex(slot)] = [log.stack.peek(1).toJSNumber(), toHex(db.getState(log.contract.getAddress(), slot))]
        },
        fault: function(log) { this.faults.push([log.getDepth(), log.op.toString(), log.getError()]) },
        result: function(ctx, db) {
          return { config: this.config, stores: this.stores, faults: this.faults, nonce: db.getNonce(ctx.from), rich: db.getBalance(ctx.from).gt(1000) }
        },
      }`,
      { tracerConfig: { a: 1 } },
    ),
  ).toEqual({
    config: { a: 1 },
    stores: { [`0x${'0'.repeat(63)}1`]: [7, `0x${'0'.repeat(64)}`] },
    faults: [[2, 'REVERT', 'execution reverted']],
    nonce: 0,
    rich: true,
  })
})

test('the helpers and bigInt reckon as in go-ethereum', async () => {
  expect(
    await trace(`{
      fault: function() {},
      result: function(ctx) {
        return [
          toHex(toAddress('0x1234')), toHex(toWord([1, 2])), toHex(slice([1, 2, 3, 4], 1, 3)),
          isPrecompiled(toAddress('0x04')), isPrecompiled(ctx.from),
          toHex(toContract('0x970e8128ab834e8eac17ab8e3812f010678cf791', 0)),
          toHex(toContract2('0x0000000000000000000000000000000000000000', '0x00', '0x00')),
          bigInt('ff', 16).add(1).toString(), bigInt(2).pow(100).mod(97).toJSNumber(),
          bigInt('10').divide(3).equals(3), bigInt.max(3, 4),
        ]
      },
    }`),
  ).toEqual([
    '0x0000000000000000000000000000000000001234',
    `0x${'0'.repeat(60)}0102`,
    '0x0203',
    true,
    false,
    '0x333c3310824b7c685133f2bedb2ca4b8b4df633d',
    // The first example of EIP-1014.
    '0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38',
    '256',
    16,
    true,
    '4',
  ])
})

test.each([
  ['{step: 1}', 'trace object must expose a function result()'],
  ['{result: function() {}}', 'trace object must expose a function fault()'],
  [
    '{result: function() {}, fault: function() {}, enter: function() {}}',
    'either both or none of enter() and exit()',
  ],
  ['{result: ', 'SyntaxError'],
  [
    '{step: function() { throw new Error("no") }, fault: function() {}, result: function() {}}',
    "Error: no    in server-side tracer function 'step'",
  ],
  ['{fault: function() {}, result: function() { return process.env }}', 'process'],
  [
    '{fault: function() {}, result: function() { var s = "x"; for (;;) s += s }}',
    'string too long',
  ],
])('a faulty tracer is an error: %s', async (source, message) => {
  await expect(trace(source)).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining(message) as string,
  })
})

// Holds D16b.
test('a tracer that takes more and more memory is stopped', async () => {
  // On a slow machine the time limit comes first.
  await expect(
    trace(
      '{fault: function() {}, result: function() { var a = []; for (;;) a.push(new Uint8Array(1e5)) }}',
    ),
  ).rejects.toMatchObject({ message: expect.stringMatching(/out of memory|timeout/) as string })
})

test('a tracer that never ends is stopped', async () => {
  await expect(
    trace('{fault: function() {}, result: function() { for (;;); }}', { timeout: '50ms' }),
  ).rejects.toMatchObject({ code: -32000, message: 'execution timeout' })
})

test('a whole block and a call are traced too, each transaction by a tracer of its own', async () => {
  const count =
    '{n: 0, step: function() { this.n++ }, fault: function() {}, result: function() { return this.n }}'
  const block = await node.request('debug_traceBlockByNumber', '0x1', { tracer: count })
  expect(block).toMatchObject([{ result: await trace(count) }, { result: 0 }, {}])
  const call = { from: toHex(ALICE), to: toHex(CALLEE) }
  expect(await node.request('debug_traceCall', call, 'latest', { tracer: count })).toBe(13)
})
