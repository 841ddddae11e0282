import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryPool } from '../../../test/support/memoryPool.ts'
import { ALICE, BOB, nodeOver } from '../../../test/support/rpcNode.ts'
import { createStoredChain, type StoredChain } from '../../../test/support/storedChain.ts'
import { toHex } from '../../base/hex.ts'
import { createCallExecutor } from './executor.ts'
import { createInlineRunner } from './inlineRunner.ts'

let stored: StoredChain

beforeAll(() => {
  stored = createStoredChain([{ address: ALICE, balance: 10n ** 20n }])
})
afterAll(() => stored.close())

/** Each read of the clock takes `tick` milliseconds. Workers answer with one byte each. */
function createRig(tick = 0) {
  let time = 0
  let handedOn = 0
  const run = createInlineRunner({
    chain: stored.reader,
    rules: stored.rules,
    gasCap: 25_000_000n,
    seed: 1n,
    now: () => (time += tick),
    workers: async () => {
      handedOn++
      return { type: 'output', output: Uint8Array.of(handedOn) }
    },
  })
  const calls = createCallExecutor(run, (message) => expect.fail(message))
  const node = nodeOver(stored.reader, createMemoryPool(), { calls })
  return {
    call: (data: string, tag = 'latest') => node.request('eth_call', { data }, tag),
    estimate: (call: object) => node.request('eth_estimateGas', call),
    handedOn: () => handedOn,
    pass: (ms: number) => (time += ms),
  }
}

/** PUSH1 7, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
const SEVEN = '0x60075f5260205ff3'
/** JUMPDEST, PUSH0, JUMP. */
const LOOP = '0x5b5f56'

test('a short call and a short estimate never leave the thread', async () => {
  const rig = createRig()
  expect(await rig.call(SEVEN)).toBe(`0x${'7'.padStart(64, '0')}`)
  expect(await rig.estimate({ from: toHex(ALICE), to: toHex(BOB), value: '0x1' })).toBe('0x5208')
  await expect(rig.call('0x63deadbeef5f526004601cfd')).rejects.toMatchObject({ code: 3 })
  expect(rig.handedOn()).toBe(0)
})

// Holds D17.
test('a long call goes on in a worker, and so does whatever comes soon after', async () => {
  const rig = createRig(0.4)
  expect(await rig.call(LOOP)).toBe('0x01')
  expect(await rig.call(SEVEN)).toBe('0x02')
  rig.pass(100)
  expect(await rig.call(SEVEN)).toBe(`0x${'7'.padStart(64, '0')}`)
})

test('a short call stays in the thread, however much time passes meanwhile', async () => {
  const rig = createRig(50)
  expect(await rig.call(SEVEN)).toBe(`0x${'7'.padStart(64, '0')}`)
  expect(await rig.call(SEVEN)).toBe(`0x${'7'.padStart(64, '0')}`)
  expect(rig.handedOn()).toBe(0)
})

test('a dear precompile is not begun', async () => {
  // Pairing of five points of zeros: 45,000 + 5 * 34,000 gas. PUSH0 twice, PUSH2 960, PUSH0, PUSH1 8, GAS, STATICCALL.
  expect(await createRig().call('0x5f5f6103c05f60085afa00')).toBe('0x01')
  // The identity, of nothing.
  expect(await createRig().call('0x5f5f5f5f60045afa5f5260205ff3')).toBe(
    `0x${'1'.padStart(64, '0')}`,
  )
})

test('calls on older states, and those with much data, go to a worker at once', async () => {
  await stored.mine()
  const rig = createRig()
  expect(await rig.call(SEVEN, 'earliest')).toBe('0x01')
  expect(await rig.call(`0x00${'ff'.repeat(20_000)}`)).toBe('0x02')
})
