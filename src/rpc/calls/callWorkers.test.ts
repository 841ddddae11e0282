import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createMemoryPool } from '../../../test/support/memoryPool.ts'
import {
  ALICE,
  BOB,
  nodeOver,
  transactionByAlice,
  type Requests,
} from '../../../test/support/rpcNode.ts'
import { createStoredChain, type StoredChain } from '../../../test/support/storedChain.ts'
import { toHex, toHexDigits } from '../../base/hex.ts'
import { createCallExecutor } from './executor.ts'
import { createWorkerRunner } from './workerRunner.ts'

// The threads run the built program: `npm run build` first.

let stored: StoredChain

beforeAll(() => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
})
afterAll(() => stored.close())

function nodeWithWorkers(timeoutMs = 10_000, gasCap = 25_000_000n): Requests {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const { folder, rules, reader } = stored
  const run = createWorkerRunner({
    folder,
    rules,
    gasCap,
    workers: 1,
    timeoutMs,
    signal: stop.signal,
    onFault: (message) => expect.fail(message),
  })
  const calls = createCallExecutor(run, (message) => expect.fail(message))
  return nodeOver(reader, createMemoryPool(), { calls })
}

/** Init code that answers the balance of Bob: PUSH20 address, BALANCE, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const BALANCE_OF_BOB = { data: `0x73${toHexDigits(BOB)}315f5260205ff3` }
/** JUMPDEST, PUSH0, JUMP. */
const LOOP = { data: '0x5b5f56' }

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('a thread sees each block as soon as it is committed, and the ones before as they were', async () => {
  const node = nodeWithWorkers()
  expect(await node.request('eth_call', BALANCE_OF_BOB)).toBe(word(0n))
  for (const nonce of [0n, 1n]) {
    await stored.mine(transactionByAlice({ nonce, value: 5n }))
    expect(await node.request('eth_call', BALANCE_OF_BOB)).toBe(word((nonce + 1n) * 5n))
  }
  expect(await node.request('eth_call', BALANCE_OF_BOB, '0x1')).toBe(word(5n))
  expect(await node.request('eth_call', BALANCE_OF_BOB, 'earliest')).toBe(word(0n))
})

test('estimates come from the threads too', async () => {
  const transfer = { from: toHex(ALICE), to: toHex(BOB), value: '0x1' }
  expect(await nodeWithWorkers().request('eth_estimateGas', transfer)).toBe('0x5208')
})

test('a revert in a thread is error 3', async () => {
  // PUSH4 deadbeef, PUSH0, MSTORE, PUSH1 4, PUSH1 28, REVERT.
  await expect(
    nodeWithWorkers().request('eth_call', { data: '0x63deadbeef5f526004601cfd' }),
  ).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
})

test('an endless call is stopped after the time-out while others are served', async () => {
  // More gas than can be burnt in the time.
  const node = nodeWithWorkers(150, 10n ** 12n)
  const endless = node.request('eth_call', LOOP)
  expect(await node.request('eth_blockNumber')).toMatch(/^0x/)
  await expect(endless).rejects.toMatchObject({
    code: -32002,
    message: 'execution aborted (timeout = 0.15s)',
  })
  expect(await node.request('eth_call', BALANCE_OF_BOB)).toMatch(/^0x/)
})

test('an endless call ends by its gas, whatever it asks for', async () => {
  const call = { ...LOOP, gas: '0xffffffffffff' }
  await expect(nodeWithWorkers(10_000, 1_000_000n).request('eth_call', call)).rejects.toMatchObject(
    {
      code: -32000,
      message: 'out of gas',
    },
  )
})
