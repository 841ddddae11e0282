import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
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
import type { WorkerPoolLoad } from '../workers/workerPool.ts'
import { createCallWorkers } from './callWorkers.ts'
import { createCallExecutor } from './executor.ts'

let stored: StoredChain
/** With one thread, which most tests share, and little gas. */
let node: Requests

beforeAll(() => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
  const stop = new AbortController()
  node = nodeWithWorkers(1_000_000n, stop.signal)
  return async () => {
    stop.abort()
    await stored.close()
  }
})

const TIMEOUT_MS = 60_000

function nodeWithWorkers(
  gasCap: bigint,
  signal: AbortSignal,
): Requests & { load(): WorkerPoolLoad } {
  const { folder, rules, reader } = stored
  let load = (): WorkerPoolLoad => expect.fail('the load was not exposed')
  const run = createCallWorkers({
    folder,
    rules,
    gasCap,
    workers: 1,
    timeoutMs: TIMEOUT_MS,
    signal,
    exposeLoad: (read) => (load = read),
    onFault: (message) => expect.fail(message),
  })
  const calls = createCallExecutor(run, (message) => expect.fail(message))
  return { ...nodeOver(reader, createMemoryPool(), { calls }), load: () => load() }
}

/** Init code that returns the balance of Bob: PUSH20 address, BALANCE, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const BALANCE_OF_BOB = { data: `0x73${toHexDigits(BOB)}315f5260205ff3` }
/** JUMPDEST, PUSH0, JUMP. */
const LOOP = { data: '0x5b5f56' }

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

test('a thread sees each block as soon as it is committed, and the ones before as they were', async () => {
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
  expect(await node.request('eth_estimateGas', transfer)).toBe('0x5208')
})

test('a revert in a thread is error 3', async () => {
  // PUSH4 deadbeef, PUSH0, MSTORE, PUSH1 4, PUSH1 28, REVERT.
  await expect(
    node.request('eth_call', { data: '0x63deadbeef5f526004601cfd' }),
  ).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
})

// Holds D17.
test('an endless call is stopped after the time-out while others are served', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  // More gas than can be used up in hours.
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const generous = nodeWithWorkers(10n ** 12n, stop.signal)
  expect(await generous.request('eth_call', BALANCE_OF_BOB)).toMatch(/^0x/)
  const endless = generous.request('eth_call', LOOP)
  expect(await generous.request('eth_blockNumber')).toMatch(/^0x/)
  // The thread has loaded: once it has the call, the time limit counts.
  while (generous.load().busy === 0) await nextTurn()
  vi.advanceTimersByTime(TIMEOUT_MS)
  await expect(endless).rejects.toMatchObject({
    code: -32002,
    message: 'execution aborted (timeout = 60s)',
  })
  expect(await generous.request('eth_call', BALANCE_OF_BOB)).toMatch(/^0x/)
})

test('an endless call ends by its gas, whatever it asks for', async () => {
  const call = { ...LOOP, gas: '0xffffffffffff' }
  await expect(node.request('eth_call', call)).rejects.toMatchObject({
    code: -32000,
    message: 'out of gas',
  })
})
