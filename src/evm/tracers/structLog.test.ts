import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { createEthereumjsEngine } from '../../../test/support/ethereumjs/engine.ts'
import { randomProgram, seededRandom } from '../../../test/support/randomProgram.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { overlay } from '../overlay.ts'
import { EMPTY_CODE_HASH, type Message, type StateView } from '../types.ts'
import { createWasmEngine } from '../wasm/engine.ts'
import { createStructLogTracer, type StructLogOptions } from './structLog.ts'

const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)
const OTHER = new Uint8Array(20).fill(0xcc)

function stateWith(code: Uint8Array, otherCode: Uint8Array): StateView {
  const world = overlay(emptyState)
  const put = (address: Uint8Array, bytes: Uint8Array) => {
    const codeHash = bytes.length === 0 ? EMPTY_CODE_HASH : keccak256(bytes)
    world.setAccount(address, { nonce: 1n, balance: 10n, codeHash }, bytes)
  }
  put(CALLER, new Uint8Array(0))
  put(TARGET, code)
  put(OTHER, otherCode)
  return world
}

function messageOf(gasLimit: bigint): Message {
  return {
    caller: CALLER,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit,
    gasPrice: 0n,
    origin: CALLER,
    nonce: 0n,
    accessList: [],
  }
}

type StructLog = {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack?: readonly string[]
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly returnData?: string
  readonly refund?: number
}

const untraced = createWasmEngine()

function trace(
  code: string | Uint8Array,
  options: StructLogOptions = {},
  { other = '0x', gas = 1_000_000n }: { other?: string | Uint8Array; gas?: bigint } = {},
): readonly StructLog[] {
  const bytes = (given: string | Uint8Array) => (typeof given === 'string' ? fromHex(given) : given)
  const tracer = createStructLogTracer(options)
  const costs: number[] = []
  const engine = createWasmEngine({
    listener: {
      ...tracer.listener,
      step(core, memory, depth, pc, opcode, left, stack, height) {
        costs.push(Number(core.stepCost(opcode, height, left)))
        tracer.listener.step(core, memory, depth, pc, opcode, left, stack, height)
      },
    },
  })
  const state = stateWith(bytes(code), bytes(other))
  const outcome = engine.execute(messageOf(gas), EVM_BLOCK, state)
  expect(outcome).toEqual(untraced.execute(messageOf(gas), EVM_BLOCK, state))
  const logs = JSON.parse(Buffer.concat(tracer.logs()).toString('latin1')) as StructLog[]
  for (const [index, log] of logs.entries()) expectForetold(log, logs[index + 1], costs[index])
  return logs
}

/** The cost of a step is known beforehand; one that fails may cost less, as far as go-ethereum computes it. */
function expectForetold(log: StructLog, next: StructLog | undefined, cost: number | undefined) {
  const isLast = next === undefined || next.depth < log.depth
  const isFailed = log.error !== undefined || (isLast && !ENDING.has(log.op))
  if (isFailed) expect(cost).toBeGreaterThanOrEqual(log.gasCost)
  else expect([log.op, cost]).toEqual([log.op, log.gasCost])
}

const ENDING: ReadonlySet<string> = new Set(['STOP', 'RETURN', 'REVERT'])

const slot = (digit: number): string => `0x${digit.toString(16).padStart(64, '0')}`
const withOther = (before: string, after: string): string =>
  `0x${before}73${'cc'.repeat(20)}${after}`

test('a step is what go-ethereum writes about it', () => {
  // PUSH1 5, PUSH1 0, MSTORE, PUSH1 7, PUSH1 1, SSTORE, PUSH1 1, SLOAD, STOP.
  expect(trace('0x6005600052600760015560015400', { enableMemory: true })).toEqual([
    { pc: 0, op: 'PUSH1', gas: 1_000_000, gasCost: 3, depth: 1, stack: [] },
    { pc: 2, op: 'PUSH1', gas: 999_997, gasCost: 3, depth: 1, stack: ['0x5'] },
    { pc: 4, op: 'MSTORE', gas: 999_994, gasCost: 6, depth: 1, stack: ['0x5', '0x0'] },
    { pc: 5, op: 'PUSH1', gas: 999_988, gasCost: 3, depth: 1, stack: [], memory: [slot(5)] },
    { pc: 7, op: 'PUSH1', gas: 999_985, gasCost: 3, depth: 1, stack: ['0x7'], memory: [slot(5)] },
    {
      pc: 9,
      op: 'SSTORE',
      gas: 999_982,
      gasCost: 22_100,
      depth: 1,
      stack: ['0x7', '0x1'],
      memory: [slot(5)],
      storage: { [slot(1)]: slot(7) },
    },
    { pc: 10, op: 'PUSH1', gas: 977_882, gasCost: 3, depth: 1, stack: [], memory: [slot(5)] },
    {
      pc: 12,
      op: 'SLOAD',
      gas: 977_879,
      gasCost: 100,
      depth: 1,
      stack: ['0x1'],
      memory: [slot(5)],
      storage: { [slot(1)]: slot(7) },
    },
    { pc: 13, op: 'STOP', gas: 977_779, gasCost: 0, depth: 1, stack: ['0x7'], memory: [slot(5)] },
  ])
})

test('a call costs what it hands over too, and its return data is seen when wanted', () => {
  // Calls OTHER with 10,000 gas and value 1; it returns a word of memory that it pays for.
  const code = withOther('5f5f5f5f6001', '612710f100')
  const logs = trace(code, { enableReturnData: true }, { other: '0x60205ff3' })
  const call = logs.find(({ op }) => op === 'CALL')
  const inner = logs.filter(({ depth }) => depth === 2)
  // Cold access and value, without the stipend.
  expect(call?.gasCost).toBe(2_600 + 9_000 + 10_000)
  expect(inner[0]?.gas).toBe(10_000 + 2_300)
  expect(inner.map(({ op, gasCost }) => [op, gasCost])).toEqual([
    ['PUSH1', 3],
    ['PUSH0', 2],
    ['RETURN', 3],
  ])
  expect(logs.at(-1)).toMatchObject({ op: 'STOP', depth: 1, returnData: slot(0), stack: ['0x1'] })
})

test('only what go-ethereum finds before a step is an error of that step', () => {
  const last = (code: string, gas?: bigint) =>
    trace(code, {}, gas === undefined ? {} : { gas }).at(-1)
  expect(last('0x01')).toMatchObject({ op: 'ADD', error: 'stack underflow (0 <=> 2)', gasCost: 3 })
  expect(last('0x5f5f', 3n)).toMatchObject({ op: 'PUSH0', error: 'out of gas', gasCost: 2 })
  expect(last('0x62ffffff51', 100n)).toMatchObject({ op: 'MLOAD', error: 'out of gas' })
  expect(last('0x5f56')).not.toHaveProperty('error')
  expect(last('0x0c')).toMatchObject({ op: 'opcode 0xc not defined', gasCost: 0 })
  expect(last('0x0c')).not.toHaveProperty('error')
})

test('options leave members out, and a limit ends the list, not the execution', () => {
  const code = '0x600160005260016000555f5460206000fd'
  for (const log of trace(code, { disableStack: true, disableStorage: true }))
    expect(Object.keys(log).sort()).toEqual(['depth', 'gas', 'gasCost', 'op', 'pc'])
  const all = trace(code)
  expect(trace(code, { limit: 4 })).toEqual(all.slice(0, 4))
  expect(trace(code, { limit: all.length })).toEqual(all)
  expect(trace('0x')).toEqual([])
})

const placeOf = ({ pc, gas, depth, stack }: StructLog): string =>
  JSON.stringify([pc, gas, depth, stack])

const CALLS: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

test('steps of random programs are those of another implementation', async () => {
  const random = seededRandom(20)
  let compared = 0
  let costs = 0
  let expected: { step: StructLog; value: bigint }[] = []
  const engine = createEthereumjsEngine('osaka', ({ pc, opcode, gasLeft, depth, stack }) => {
    expected.push({
      value: stack.at(-3) ?? 0n,
      step: {
        pc,
        op: opcode.name,
        gas: Number(gasLeft),
        gasCost: Number(opcode.dynamicFee ?? opcode.fee),
        depth: depth + 1,
        stack: stack.map((word) => `0x${word.toString(16)}`),
      },
    })
  })
  for (let run = 0; run < 6; run++) {
    const code = randomProgram(random, [TARGET, OTHER, CALLER])
    const other = randomProgram(random, [TARGET, OTHER, CALLER])
    expected = []
    await engine.execute(messageOf(100_000n), EVM_BLOCK, stateWith(code, other))
    const logs = trace(code, {}, { other, gas: 100_000n })
    // Of the steps that fail before they execute, the other one reports some; and none past the end of a code.
    const taken = logs.filter(({ error, op }) => error === undefined && op !== 'STOP')
    const failed = new Set(logs.filter(({ error }) => error !== undefined).map(placeOf))
    const others = expected.filter(({ step }) => step.op !== 'STOP' && !failed.has(placeOf(step)))
    expect(taken.map(placeOf)).toEqual(others.map(({ step }) => placeOf(step)))
    compared += taken.length
    for (const [index, { op, gasCost, depth }] of taken.entries()) {
      const { step, value } = others[index] as (typeof others)[number]
      const next = taken[index + 1]
      if (next === undefined || next.depth < depth) continue
      const isCall = CALLS.has(op)
      if (isCall && next.depth === depth) continue
      const stipend = (op === 'CALL' || op === 'CALLCODE') && value > 0n ? 2_300 : 0
      expect([op, gasCost]).toEqual([op, step.gasCost + (isCall ? next.gas - stipend : 0)])
      costs++
    }
  }
  expect(compared).toBeGreaterThan(500)
  expect(costs).toBeGreaterThan(500)
})

// go-ethereum 1.17.7 writes these (D12).
test('a step that runs out of gas shows what it would have cost', () => {
  const last = (code: string, gas: bigint) => trace(code, {}, { gas }).at(-1)
  // SSTORE of a new value, with more than the sentry of EIP-2200.
  expect(last('0x600160005500', 10_000n)).toMatchObject({
    op: 'SSTORE',
    gasCost: 22_100,
    error: 'out of gas',
    storage: { [slot(0)]: slot(1) },
  })
  expect(last('0x5f5400', 1000n)).toMatchObject({ op: 'SLOAD', gasCost: 2100 })
  expect(last(withOther('', '3b00'), 1000n)).toMatchObject({ op: 'EXTCODESIZE', gasCost: 2600 })
  expect(last(withOther('', '3100'), 50n)).toMatchObject({ op: 'BALANCE', gasCost: 100 })
  expect(last(withOther('5f5f5f5f5f', '5af100'), 500n)).toMatchObject({ op: 'CALL', gasCost: 100 })
  expect(last('0x60015fa000', 300n)).toMatchObject({ op: 'LOG0', gasCost: 375 + 8 + 3 })
  expect(last('0x5f61100052', 20n)).toMatchObject({ op: 'MSTORE', gasCost: 3 + 3 * 129 + 32 })
  expect(last('0x5f61100052', 7n)).toMatchObject({ op: 'MSTORE', gasCost: 3 })
})
