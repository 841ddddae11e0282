import { expect, test } from 'vitest'
import { randomProgram, seededRandom } from '../../../../test/support/randomProgram.ts'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { createTracedNode, hashOf } from '../../../../test/support/tracedNode.ts'
import { fromHex, toHex, toHexDigits } from '../../../base/hex.ts'

type Steps = { readonly code: string; readonly ops: readonly Step[] }
type Step = {
  readonly pc: number
  readonly cost: number
  readonly ex: {
    readonly used: number
    readonly push: readonly string[]
    readonly mem: { readonly off: number; readonly data: string } | null
    readonly store: { readonly key: string; readonly val: string } | null
  } | null
  readonly sub: Steps | null
}

const TARGET = fromHex('0x00000000000000000000000000000000000000aa')
const OTHER = fromHex('0x00000000000000000000000000000000000000bb')
const INTRINSIC = 21_000

function nodeWith(code: string, other = '0x') {
  return createTestNode({
    genesis: {
      [toHexDigits(ALICE)]: { balance: 10n ** 21n },
      [toHexDigits(TARGET)]: { code: fromHex(code), nonce: 1n, balance: 10n },
      [toHexDigits(OTHER)]: { code: fromHex(other), nonce: 1n },
    },
  })
}

async function vmTrace(code: string, { other = '0x', gas = 1_000_000 } = {}): Promise<Steps> {
  const call = { from: toHex(ALICE), to: toHex(TARGET), gas: `0x${gas.toString(16)}` }
  const { vmTrace: trace } = (await nodeWith(code, other).request('trace_call', call, [
    'vmTrace',
  ])) as { vmTrace: Steps }
  return trace
}

const nothing = { push: [], mem: null, store: null }
const word = (digits: string): string => digits.padStart(64, '0')

test('a step has its cost, what it leaves on the stack, in memory and in storage, and the gas that is left', async () => {
  // PUSH1 5, PUSH0, MSTORE, PUSH0, MLOAD, DUP1, SWAP1, PUSH1 1, SSTORE, STOP.
  const code = '0x60055f525f51809060015500'
  const start = 1_000_000 - INTRINSIC
  expect(await vmTrace(code)).toEqual({
    code,
    ops: [
      { pc: 0, cost: 3, ex: { ...nothing, used: start - 3, push: ['0x5'] }, sub: null },
      { pc: 2, cost: 2, ex: { ...nothing, used: start - 5, push: ['0x0'] }, sub: null },
      {
        pc: 3,
        cost: 6,
        ex: { ...nothing, used: start - 11, mem: { off: 0, data: `0x${word('5')}` } },
        sub: null,
      },
      { pc: 4, cost: 2, ex: { ...nothing, used: start - 13, push: ['0x0'] }, sub: null },
      {
        pc: 5,
        cost: 3,
        ex: {
          ...nothing,
          used: start - 16,
          push: ['0x5'],
          mem: { off: 0, data: `0x${word('5')}` },
        },
        sub: null,
      },
      { pc: 6, cost: 3, ex: { ...nothing, used: start - 19, push: ['0x5', '0x5'] }, sub: null },
      { pc: 7, cost: 3, ex: { ...nothing, used: start - 22, push: ['0x5', '0x5'] }, sub: null },
      { pc: 8, cost: 3, ex: { ...nothing, used: start - 25, push: ['0x1'] }, sub: null },
      {
        pc: 10,
        cost: 22_100,
        ex: { ...nothing, used: start - 22_125, store: { key: '0x1', val: '0x5' } },
        sub: null,
      },
      { pc: 11, cost: 0, ex: { ...nothing, used: start - 22_125 }, sub: null },
    ],
  })
})

test('what a call ran is nested in its step, whose memory is the room for the output', async () => {
  // CALL(10,000 gas, OTHER, value 1, no input, output 0 to 32), then the end of the code.
  const code = `0x60205f5f5f600173${toHexDigits(OTHER)}612710f1`
  // MSTORE(0, 7), RETURN(0, 32).
  const other = '0x60075f5260205ff3'
  const { ops } = await vmTrace(code, { other })
  const call = ops.at(-1)
  expect(call).toMatchObject({
    // A word of memory, cold access, value, and the gas that is passed on.
    cost: 3 + 2_600 + 9_000 + 10_000,
    ex: { push: ['0x1'], mem: { off: 0, data: `0x${word('7')}` }, store: null },
    sub: { code: other },
  })
  expect(call?.sub?.ops.map(({ pc, cost }) => [pc, cost])).toEqual([
    [0, 3],
    [2, 2],
    [3, 6],
    [4, 3],
    [6, 2],
    [7, 0],
  ])
  // The stipend is the callee's; all that is left of it is returned.
  expect(call?.sub?.ops[0]?.ex?.used).toBe(10_000 + 2_300 - 3)
})

test('a precompile, and an account without code, have no steps', async () => {
  // STATICCALL(gas, 4), then a CALL of an account that does not exist.
  const { ops } = await vmTrace(`0x5f5f5f5f60045afa505f5f5f5f5f73${'99'.repeat(20)}5af1`)
  const calls = ops.filter(({ cost }) => cost > 10_000)
  expect(calls).toHaveLength(2)
  for (const { sub, ex } of calls) expect([sub, ex?.push]).toEqual([null, ['0x1']])
})

test('a creation hands over all but a 64th, and runs its init code', async () => {
  // MSTORE(0, init code), CREATE(0, 27, 5): the init code is PUSH1 1, PUSH0, RETURN.
  const { ops } = await vmTrace('0x6460015ff3005f526005601b5ff0')
  const create = ops.at(-1)
  expect(create?.sub?.code).toBe('0x60015ff300')
  expect(create?.sub?.ops.map(({ pc }) => pc)).toEqual([0, 2, 3])
  const before = ops.at(-2)?.ex?.used ?? 0
  const own = 32_000 + 2
  const given = before - own - Math.floor((before - own) / 64)
  expect(create?.cost).toBe(own + given)
  expect(create?.sub?.ops[0]?.ex?.used).toBe(given - 3)
  expect(create?.ex?.push).toHaveLength(1)
})

test('a step without enough gas has no outcome, and one that can not be taken is no step', async () => {
  const left = async (code: string, gas?: number) =>
    (await vmTrace(code, gas === undefined ? {} : { gas })).ops.map(({ pc, ex }) => [
      pc,
      ex !== null,
    ])
  expect(await left('0x5f5f5f', INTRINSIC + 5)).toEqual([
    [0, true],
    [1, true],
    [2, false],
  ])
  // Too few operands, an unknown opcode.
  expect(await left('0x5f01')).toEqual([[0, true]])
  expect(await left('0x5f0c')).toEqual([[0, true]])
  // An invalid jump counts as a step, and so does a REVERT; unpayable memory does not.
  expect(await left('0x5f56')).toEqual([
    [0, true],
    [1, true],
  ])
  expect(await left('0x5f5ffd')).toEqual([
    [0, true],
    [1, true],
    [2, true],
  ])
  expect(await left('0x63ffffffff5ff3')).toEqual([
    [0, true],
    [5, true],
    [6, false],
  ])
})

test('where no code runs there are no steps, and where none are wanted there is no trace of them', async () => {
  const node = createTracedNode()
  expect(await node.request('trace_replayTransaction', hashOf(node, 1), ['vmTrace'])).toEqual({
    output: '0x',
    trace: [],
    stateDiff: null,
    vmTrace: { code: '0x', ops: [] },
  })
  expect(await node.request('trace_replayTransaction', hashOf(node, 1), [])).toMatchObject({
    vmTrace: null,
  })
})

test('all methods of replays show steps, together with the other parts', async () => {
  const node = createTracedNode()
  const parts = ['trace', 'stateDiff', 'vmTrace']
  const replay = (await node.request('trace_replayTransaction', hashOf(node, 0), parts)) as {
    vmTrace: Steps
  }
  expect(replay.vmTrace.ops.filter(({ sub }) => sub !== null)).toHaveLength(2)
  const block = await node.request('trace_replayBlockTransactions', '0x1', parts)
  expect(block).toMatchObject([replay, { vmTrace: { ops: [] } }, { vmTrace: {} }])
  const pay = { from: toHex(ALICE), to: toHex(BOB), value: '0x1' }
  expect(
    await node.request('trace_callMany', [
      [pay, ['vmTrace']],
      [pay, ['trace']],
    ]),
  ).toMatchObject([{ vmTrace: { code: '0x' } }, { vmTrace: null, trace: [{}] }])
})

type StructLog = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: readonly string[]
  readonly error?: string
}

/** Steps in the order in which they started. */
function* flatten({ ops }: Steps, depth = 1): Generator<Step & { readonly depth: number }> {
  for (const step of ops) {
    yield { ...step, depth }
    if (step.sub) yield* flatten(step.sub, depth + 1)
  }
}

test('steps of random programs are those of the struct logs', async () => {
  const random = seededRandom(7)
  let compared = 0
  for (let run = 0; run < 12; run++) {
    const [code, other] = [0, 1].map(() => toHex(randomProgram(random, [TARGET, OTHER, ALICE])))
    const node = nodeWith(code ?? '0x', other)
    const call = { from: toHex(ALICE), to: toHex(TARGET), gas: '0x30d40' }
    const { vmTrace: trace } = (await node.request('trace_call', call, ['vmTrace'])) as {
      vmTrace: Steps
    }
    const { structLogs } = (await node.request('debug_traceCall', call, 'latest', {})) as {
      structLogs: readonly StructLog[]
    }
    const steps = [...flatten(trace)]
    const sizes = [trace, ...steps.flatMap(({ sub }) => sub ?? [])].length
    expect(sizes).toBeGreaterThan(0)
    const listed = structLogs.filter(
      ({ op, error, pc }, index) =>
        !(op.includes('not defined') || op === 'INVALID' || error?.startsWith('stack') === true) &&
        !(op === 'STOP' && isBehind(structLogs, index, pc)),
    )
    expect(steps.map(({ pc, depth }) => [pc, depth])).toEqual(
      listed.map(({ pc, depth }) => [pc, depth]),
    )
    for (const [index, { ex, cost }] of steps.entries()) {
      const log = listed[index] as StructLog
      if (log.error !== undefined) {
        expect([log, ex]).toEqual([log, null])
        continue
      }
      if (ex === null) continue
      if (!log.op.startsWith('CREATE')) expect([log.op, cost]).toEqual([log.op, log.gasCost])
      const at = structLogs.indexOf(log)
      const next = structLogs.slice(at + 1).find(({ depth }) => depth <= log.depth)
      if (next?.depth !== log.depth) continue
      expect([log.op, ex.used]).toEqual([log.op, next.gas])
      expect(ex.push).toEqual(next.stack.slice(next.stack.length - ex.push.length))
      compared++
    }
  }
  expect(compared).toBeGreaterThan(300)
})

/**
 * Whether the step at `pc` is the implicit STOP past the end of the code: then the previous step of its frame ended
 * right there.
 */
function isBehind(logs: readonly StructLog[], index: number, pc: number): boolean {
  const { depth } = logs[index] as StructLog
  const before = logs.slice(0, index).findLast((log) => log.depth === depth)
  return (
    before !== undefined &&
    pc > before.pc &&
    logs.every((log) => log.depth !== depth || log.pc <= pc)
  )
}
