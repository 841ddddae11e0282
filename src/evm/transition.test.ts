import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../test/support/evmBlock.ts'
import { bytesToBigint } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { addressOfPrivateKey, sign } from '../base/secp256k1.ts'
import { createEngine } from './createEngine.ts'
import { authorizationHash } from './delegation.ts'
import { InvalidTransactionError, type InvalidTransactionCode } from './invalidTransaction.ts'
import { emptyState } from './emptyState.ts'
import { overlay, type Overlay } from './overlay.ts'
import type { TransitionRules } from './rules.ts'
import type { Authorization, Transactable } from './transactable.ts'
import { applyTransaction } from './transition.ts'
import { EMPTY_CODE_HASH, type Effects } from './types.ts'

const RULES: TransitionRules = { baseFeeSink: 'coinbase' }
const SENDER = new Uint8Array(20).fill(0xaa)
const RECIPIENT = new Uint8Array(20).fill(0xbb)
const COINBASE = new Uint8Array(20).fill(0xcb)
const ETHER = 10n ** 18n
const BLOCK = { ...EVM_BLOCK, coinbase: COINBASE }
const engine = createEngine()

function stateWith(code = '0x', recipientCode = '0x'): Overlay {
  const world = overlay(emptyState)
  const put = (address: Uint8Array, hex: string, balance: bigint): void => {
    const bytes = fromHex(hex)
    const codeHash = bytes.length === 0 ? EMPTY_CODE_HASH : keccak256(bytes)
    world.setAccount(address, { nonce: 5n, balance, codeHash }, bytes)
  }
  put(SENDER, code, ETHER)
  if (recipientCode !== '0x') put(RECIPIENT, recipientCode, 0n)
  return world
}

function transaction(fields: Partial<Transactable> = {}): Transactable {
  return {
    type: 2,
    sender: SENDER,
    nonce: 5n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 2n,
    gasLimit: 100_000n,
    to: RECIPIENT,
    value: 1000n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...fields,
  }
}

function balanceOf(effects: Effects, address: Uint8Array): bigint | undefined {
  return effects.get(toHexDigits(address))?.account?.balance
}

test('a transfer moves value, pays base fee and tip to the coinbase and raises the nonce', () => {
  const result = applyTransaction(engine, transaction(), BLOCK, stateWith(), RULES)
  expect(result).toMatchObject({ status: 'success', gasUsed: 21_000n, effectiveGasPrice: 9n })
  expect(balanceOf(result.effects, SENDER)).toBe(ETHER - 1000n - 21_000n * 9n)
  expect(balanceOf(result.effects, RECIPIENT)).toBe(1000n)
  expect(balanceOf(result.effects, COINBASE)).toBe(21_000n * 9n)
  expect(result.effects.get(toHexDigits(SENDER))?.account?.nonce).toBe(6n)
})

test('with a burned base fee the coinbase gets the tip only', () => {
  const rules: TransitionRules = { ...RULES, baseFeeSink: 'burned' }
  const result = applyTransaction(engine, transaction(), BLOCK, stateWith(), rules)
  expect(balanceOf(result.effects, COINBASE)).toBe(21_000n * 2n)
})

test('a failed transaction still pays and raises the nonce, and moves no value', () => {
  const state = stateWith('0x', '0xfe')
  const result = applyTransaction(engine, transaction(), BLOCK, state, RULES)
  expect(result).toMatchObject({ status: 'halt', gasUsed: 100_000n })
  expect(balanceOf(result.effects, SENDER)).toBe(ETHER - 100_000n * 9n)
  expect(balanceOf(result.effects, RECIPIENT)).toBeUndefined()
})

test('data costs at least its floor (EIP-7623)', () => {
  const data = new Uint8Array(1000).fill(1)
  const result = applyTransaction(engine, transaction({ data }), BLOCK, stateWith(), RULES)
  expect(result.gasUsed).toBe(21_000n + 10n * 4n * 1000n)
})

test.each<[InvalidTransactionCode, string, Partial<Transactable>]>([
  ['nonce-too-low', `nonce too low: address 0x${'aA'.repeat(20)}, tx: 4 state: 5`, { nonce: 4n }],
  ['nonce-too-high', 'nonce too high: ', { nonce: 6n }],
  [
    'gas-limit-too-high',
    'transaction gas limit too high (cap: 16777216, tx: 16777217)',
    { gasLimit: 16_777_217n },
  ],
  [
    'tip-above-fee-cap',
    'max priority fee per gas higher than max fee per gas: ',
    { maxPriorityFeePerGas: 11n },
  ],
  ['fee-cap-too-low', 'max fee per gas less than block base fee: ', { maxFeePerGas: 6n }],
  ['insufficient-funds', 'insufficient funds for gas * price + value: ', { value: ETHER }],
  ['intrinsic-gas', 'intrinsic gas too low: have 20999, want 21000', { gasLimit: 20_999n }],
  [
    'floor-data-gas',
    'insufficient gas for floor data gas cost: have 40000, want 61000',
    { data: new Uint8Array(1000).fill(1), gasLimit: 40_000n },
  ],
  [
    'init-code-too-large',
    'max initcode size exceeded: code size 49153 limit 49152',
    { to: undefined, data: new Uint8Array(49_153), gasLimit: 10_000_000n },
  ],
  ['empty-authorization-list', 'EIP-7702 transaction with empty auth list', { type: 4 }],
])('a transaction is refused as %s', (code, message, fields) => {
  let error: unknown
  try {
    applyTransaction(engine, transaction(fields), BLOCK, stateWith(), RULES)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(InvalidTransactionError)
  expect((error as InvalidTransactionError).message.toLowerCase()).toContain(message.toLowerCase())
  expect((error as InvalidTransactionError).code).toBe(code)
})

test('a sender with code is refused, one with a delegation is not (EIP-3607, EIP-7702)', () => {
  expect(() => applyTransaction(engine, transaction(), BLOCK, stateWith('0x00'), RULES)).toThrow(
    'sender not an eoa',
  )
  const delegated = stateWith(`0xef0100${'11'.repeat(20)}`)
  const result = applyTransaction(engine, transaction(), BLOCK, delegated, RULES)
  expect(result.status).toBe('success')
})

function authorize(key: Uint8Array, fields: Partial<Authorization>): Authorization {
  const unsigned = { chainId: BLOCK.chainId, address: RECIPIENT, nonce: 0n, ...fields }
  const { compact, yParity } = sign(authorizationHash(unsigned), key)
  return {
    ...unsigned,
    yParity: BigInt(yParity),
    r: bytesToBigint(compact.subarray(0, 32)),
    s: bytesToBigint(compact.subarray(32)),
  }
}

test('an authorization sets the delegation of its signer; a foreign chain or nonce is passed over', () => {
  const key = new Uint8Array(32).fill(9)
  const authority = addressOfPrivateKey(key)
  const authorizationList = [
    authorize(key, { chainId: 1n }),
    authorize(key, { nonce: 3n }),
    authorize(key, {}),
  ]
  const result = applyTransaction(
    engine,
    transaction({ type: 4, authorizationList, gasLimit: 200_000n }),
    BLOCK,
    stateWith(),
    RULES,
  )
  const effect = result.effects.get(toHexDigits(authority))
  expect(toHexDigits(effect?.code ?? new Uint8Array(0))).toBe(`ef0100${toHexDigits(RECIPIENT)}`)
  expect(effect?.account?.nonce).toBe(1n)
  expect(result.gasUsed).toBe(21_000n + 3n * 25_000n)
})
