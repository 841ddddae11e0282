import { expect, test } from 'vitest'
import { ALICE, BOB, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode, REVERTER } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

const alice = toHex(ALICE)
const bob = toHex(BOB)
const poor = `0x${'c0'.repeat(20)}`

type Block = {
  number: string
  timestamp: string
  hash: string
  logsBloom: string
  receiptsRoot: string
  parentHash: string
  transactions: string[]
  calls: { status: string; returnData: string; logs: { address: string }[]; error?: object }[]
}

async function simulate(payload: object): Promise<Block[]> {
  return (await createTracedNode().request('eth_simulateV1', payload, 'latest')) as Block[]
}

test('calls build on each other, within a block and over blocks', async () => {
  const transfer = { from: alice, to: poor, value: '0x5' }
  const [first, second] = await simulate({
    blockStateCalls: [
      { calls: [transfer, transfer] },
      { calls: [{ from: poor, to: bob, value: '0xa' }] },
    ],
  })
  expect(first?.calls.map(({ status }) => status)).toEqual(['0x1', '0x1'])
  expect(second?.calls[0]?.status).toBe('0x1')
  expect(second?.parentHash).toBe(first?.hash)
  expect([first?.number, second?.number]).toEqual(['0x3', '0x4'])
  expect(new Set(first?.transactions).size).toBe(2)
})

test('blocks between given ones are filled in, and overrides show', async () => {
  // NUMBER, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const stateOverrides = { [poor]: { code: '0x435f5260205ff3' } }
  const blocks = await simulate({
    blockStateCalls: [{ blockOverrides: { number: '0x6' }, stateOverrides, calls: [{ to: poor }] }],
  })
  expect(blocks.map(({ number }) => number)).toEqual(['0x3', '0x4', '0x5', '0x6'])
  expect(blocks[3]?.calls[0]?.returnData).toBe(`0x${'0'.repeat(63)}6`)
})

// Holds D12.
test('failures are results of their own', async () => {
  const [block] = await simulate({
    blockStateCalls: [
      {
        stateOverrides: { [poor]: { code: '0xfe' } },
        calls: [{ to: toHex(REVERTER) }, { to: poor, gas: '0x10000' }],
      },
    ],
  })
  expect(block?.calls).toMatchObject([
    { status: '0x0', returnData: '0x', error: { code: 3, message: 'execution reverted: no' } },
    {
      status: '0x0',
      returnData: '0x',
      error: { code: -32015, message: 'invalid opcode: INVALID' },
    },
  ])
})

test('traceTransfers adds logs for transfers of value, among the others', async () => {
  const payload = {
    blockStateCalls: [
      {
        calls: [
          { from: alice, to: bob, value: '0x1' },
          { from: alice, to: toHex(CONTRACT) },
        ],
      },
    ],
  }
  const emitter = `0x${'e'.repeat(40)}`
  const emitters = (blocks: Block[]): string[][] =>
    (blocks[0]?.calls ?? []).map(({ logs }) => logs.map(({ address }) => address))
  expect(emitters(await simulate(payload))).toEqual([[], [toHex(CALLEE)]])
  expect(emitters(await simulate({ ...payload, traceTransfers: true }))).toEqual([
    [emitter],
    [toHex(CALLEE)],
  ])
})

test('the logs of transfers are shown, and are in no bloom and no receipt', async () => {
  const payload = {
    blockStateCalls: [{ calls: [{ from: alice, to: bob, value: '0x1' }] }],
  }
  const [plain] = await simulate(payload)
  const [traced] = await simulate({ ...payload, traceTransfers: true })
  expect(traced?.calls[0]?.logs.length).toBe(1)
  for (const field of ['logsBloom', 'receiptsRoot', 'hash'] as const)
    expect(traced?.[field]).toBe(plain?.[field])
})

test('under validation, too, a contract may call', async () => {
  const fees = { maxFeePerGas: '0x77359400', gas: '0x10000' }
  const stateOverrides = { [poor]: { code: '0x00', balance: '0xde0b6b3a7640000' } }
  const call = { from: poor, to: bob, ...fees }
  const [block] = await simulate({
    blockStateCalls: [{ stateOverrides, calls: [call] }],
    validation: true,
  })
  expect(block?.calls[0]?.status).toBe('0x1')
})

test('a call that the cap of the node cut short says so', async () => {
  // JUMPDEST, PUSH0, JUMP
  const stateOverrides = { [poor]: { code: '0x5b5f56' } }
  const loop = { to: poor, gas: '0x1000000' }
  const blocks = await simulate({
    blockStateCalls: [{ stateOverrides, calls: [loop] }, { calls: [loop] }],
  })
  expect(blocks.map(({ calls }) => calls[0]?.error)).toEqual([
    { code: -32_015, message: 'out of gas' },
    {
      code: -32_015,
      message: "out of gas (gas limit was capped by the RPC server's global gas cap)",
    },
  ])
})

const block = (fields: object): object => ({ blockStateCalls: [fields] })
test.each([
  [block({ calls: [{ from: poor, to: bob, value: '0x1' }] }), -38014],
  [block({ calls: [{ from: alice, to: bob, gas: '0x1' }] }), -38013],
  [{ ...block({ calls: [{ from: alice, to: bob }] }), validation: true }, -38012],
  [
    {
      ...block({ calls: [{ from: alice, to: bob, nonce: '0x9', maxFeePerGas: '0x77359400' }] }),
      validation: true,
    },
    -38011,
  ],
  [block({ blockOverrides: { number: '0x1' } }), -38020],
  [block({ blockOverrides: { time: '0x1' } }), -38021],
  [block({ blockOverrides: { number: '0x999' } }), -38026],
  [block({ calls: [{ from: alice, to: bob, gas: '0x77359400' }] }), -38015],
])('%j is error %i', async (payload, code) => {
  await expect(simulate(payload)).rejects.toMatchObject({ code })
})

test('no blocks at all are refused in words', async () => {
  await expect(simulate({ blockStateCalls: [] })).rejects.toMatchObject({
    code: -32_602,
    message: 'empty input',
  })
})
