import { expect, test } from 'vitest'
import { fromHex, toHex } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { createEngine } from '../evm/createEngine.ts'
import { emptyState } from '../evm/emptyState.ts'
import { InvalidTransactionError } from '../evm/invalidTransaction.ts'
import { overlay } from '../evm/overlay.ts'
import { EMPTY_CODE_HASH } from '../evm/types.ts'
import type { BlockHeader } from './block.ts'
import { ExecutionRevertedError, estimateGas, simulateCall } from './call.ts'
import type { CallObject } from './callTransaction.ts'
import { genesisHeader } from './genesisHeader.ts'

const engine = createEngine()
const rules = {
  chainId: 271828n,
  blockGasLimit: 30_000_000n,
  initialBaseFee: 1_000_000_000n,
  minBaseFee: 1n,
}
const header: BlockHeader = {
  ...genesisHeader(rules, { hash: new Uint8Array(32), timeNs: 5_000_000_000n }),
  stateRoot: new Uint8Array(32),
}
const POOR = new Uint8Array(20).fill(0x01)
const RICH = new Uint8Array(20).fill(0x02)
const CONTRACT = new Uint8Array(20).fill(0xcc)
const OPTIONS = { gasCap: 25_000_000n }

function stateWith(code: string) {
  const bytes = fromHex(code)
  const state = overlay(emptyState)
  state.setAccount(RICH, { nonce: 3n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH })
  state.setAccount(CONTRACT, { nonce: 1n, balance: 0n, codeHash: keccak256(bytes) }, bytes)
  return state
}

const placeOf = (code: string) => ({ engine, rules, header, state: stateWith(code) })
const call = (code: string, fields: CallObject) =>
  simulateCall(placeOf(code), { to: CONTRACT, ...fields }, OPTIONS)
const estimate = (code: string, fields: CallObject) =>
  estimateGas(placeOf(code), { to: CONTRACT, ...fields }, OPTIONS)

test('a call without fees runs for a sender that has nothing, and its gas includes the intrinsic', () => {
  const result = call('0x602a5f5260205ff3', { from: POOR })
  expect(BigInt(toHex(result.output))).toBe(42n)
  expect(result.gasUsed).toBe(21_000n + 16n)
})

test('gas defaults to the cap and never exceeds it', async () => {
  const remaining = async (fields: CallObject) =>
    BigInt(toHex(call('0x5a5f5260205ff3', fields).output))
  expect(await remaining({})).toBe(25_000_000n - 21_000n - 2n)
  expect(await remaining({ gas: 10n ** 12n })).toBe(25_000_000n - 21_000n - 2n)
  expect(await remaining({ gas: 50_000n })).toBe(50_000n - 21_000n - 2n)
})

test("BASEFEE is the block's, and zero when nothing is paid", async () => {
  const baseFee = async (fields: CallObject) =>
    BigInt(toHex(call('0x485f5260205ff3', fields).output))
  expect(await baseFee({})).toBe(0n)
  expect(await baseFee({ from: RICH, gasPrice: 2_000_000_000n })).toBe(1_000_000_000n)
})

test.each<[string, CallObject]>([
  ['insufficient funds for gas * price + value', { from: POOR, gasPrice: 2_000_000_000n }],
  ['max fee per gas less than block base fee', { from: RICH, gasPrice: 1n }],
  ['insufficient funds for gas * price + value', { from: POOR, value: 1n }],
  ['intrinsic gas too low: have 20000, want 21000', { gas: 20_000n }],
])('a call that cannot run says: %s', (message, fields) => {
  const run = () => call('0x00', fields)
  expect(run).toThrow(InvalidTransactionError)
  expect(run).toThrow(message)
})

test('a plain transfer is estimated at 21000', () => {
  expect(estimate('0x00', { from: RICH, to: POOR, value: 1n })).toBe(21_000n)
})

test('an estimate is enough, and at most 1.5 % too much', () => {
  // Two writes to fresh slots.
  const code = '0x60015f55600160015500'
  const estimated = estimate(code, { from: RICH })
  const { gasUsed } = call(code, { from: RICH, gas: estimated })
  expect(estimated >= gasUsed).toBe(true)
  expect(estimated * 1000n <= gasUsed * 1016n).toBe(true)
})

test('an estimate leaves room for what a refund gives back later', () => {
  // SSTORE(0, 1) and SSTORE(0, 0): most of the gas is refunded only at the end.
  const code = '0x60015f555f5f5500'
  const estimated = estimate(code, { from: RICH })
  const result = call(code, { from: RICH, gas: estimated })
  expect(result.status).toBe('success')
  expect(result.gasRefund).toBeGreaterThan(0n)
})

test('an estimate of a revert passes the revert on', () => {
  const run = () => estimate('0x60aa5f5260205ffd', { from: RICH })
  expect(run).toThrow(ExecutionRevertedError)
  expect(run).toThrow('execution reverted')
})

test.each([
  ['gas required exceeds allowance (16777216)', '0x5b5f56', {}],
  ['gas required exceeds allowance (30000)', '0x60015f5500', { gas: 30_000n }],
  ['invalid opcode: INVALID', '0xfe', {}],
])('an estimate that finds no limit says: %s', (message, code, fields) => {
  expect(() => estimate(code, { from: RICH, ...fields })).toThrow(message)
})

test('with a gas price the balance limits the estimate', () => {
  const gasPrice = 10n ** 18n / 30_000n
  expect(() => estimate('0x60015f5500', { from: RICH, gasPrice })).toThrow(
    'gas required exceeds allowance (30000)',
  )
})
