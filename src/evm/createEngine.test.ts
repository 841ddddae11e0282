import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../test/support/evmBlock.ts'
import { fromHex, toHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { HISTORY_ADDRESS, storeBlockHash } from './blockHashes.ts'
import { createEngine } from './createEngine.ts'
import { emptyState } from './emptyState.ts'
import { overlay, type Overlay } from './overlay.ts'
import { EMPTY_CODE_HASH, type Message, type Outcome, type StateView } from './types.ts'

const BLOCK = { ...EVM_BLOCK, height: 10 }
const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)

function stateWith(code: string, balance = 0n): Overlay {
  const bytes = fromHex(code)
  const world = overlay(emptyState)
  world.setAccount(CALLER, { nonce: 1n, balance, codeHash: EMPTY_CODE_HASH })
  world.setAccount(TARGET, { nonce: 1n, balance: 0n, codeHash: keccak256(bytes) }, bytes)
  return world
}

function message(fields: Partial<Message> = {}): Message {
  return {
    caller: CALLER,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit: 100_000n,
    gasPrice: 10n,
    origin: CALLER,
    nonce: 0n,
    accessList: [],
    ...fields,
  }
}

test('code that returns a word gives it as output and its gas', () => {
  const outcome = createEngine().execute(message(), BLOCK, stateWith('0x602a5f5260205ff3'))
  expect(outcome.status).toBe('success')
  expect(toHex(outcome.output)).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(outcome.gasUsed).toBe(3n + 2n + 3n + 3n + 3n + 2n)
  expect(outcome.effects.size).toBe(0)
})

test.each([
  ['CHAINID', '46', 271828n],
  ['NUMBER', '43', 10n],
  ['TIMESTAMP', '42', 1_700_000_000n],
  ['GASPRICE', '3a', 10n],
  ['BASEFEE', '48', 7n],
  ['BLOBBASEFEE', '4a', 1n],
  ['COINBASE', '41', BigInt(`0x${'cb'.repeat(20)}`)],
  ['PREVRANDAO', '44', BigInt(`0x${'03'.repeat(32)}`)],
])('%s gives what the environment says', (_, opcode, expected) => {
  const state = stateWith(`0x${opcode}5f5260205ff3`)
  const outcome = createEngine().execute(message(), BLOCK, state)
  expect(BigInt(toHex(outcome.output))).toBe(expected)
})

// Holds D51.
test('BLOCKHASH reads the history contract, and zero where it has nothing', () => {
  const hash = new Uint8Array(32).fill(0x77)
  const state = stateWith('0x6008405f5260205ff3')
  const history = { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH }
  state.setAccount(HISTORY_ADDRESS, history)
  state.apply(storeBlockHash(state, 8, hash))
  const known = createEngine().execute(message(), BLOCK, state)
  expect(known.output).toEqual(hash)
  const later = { ...BLOCK, height: 300 }
  const tooOld = createEngine().execute(message(), later, state)
  expect(BigInt(toHex(tooOld.output))).toBe(0n)
})

test.each([
  ['invalid opcode: INVALID', '0xfe'],
  ['invalid opcode: opcode 0xc not defined', '0x0c'],
  ['invalid jump destination', '0x600456'],
  ['stack underflow (0 <=> 1)', '0x50'],
  ['out of gas', '0x5b5f56'],
])('a halt for "%s" uses all gas and changes nothing', (error, code) => {
  const outcome = createEngine().execute(message(), BLOCK, stateWith(code))
  expect(outcome).toMatchObject({ status: 'halt', error, gasUsed: 100_000n, logs: [] })
  expect(outcome.effects.size).toBe(0)
})

test('a revert keeps its data, gives back gas and changes nothing', () => {
  // SSTORE(0, 1), MSTORE(0, 1), REVERT(0, 32)
  const code = '0x60015f5560015f5260205ffd'
  const outcome = createEngine().execute(message(), BLOCK, stateWith(code))
  expect(outcome).toMatchObject({ status: 'revert', error: 'execution reverted' })
  expect(BigInt(toHex(outcome.output))).toBe(1n)
  expect(outcome.gasUsed).toBeLessThan(100_000n)
  expect(outcome.effects.size).toBe(0)
})

test('storage, logs and value transfer come back as effects', () => {
  // SSTORE(5, 7), LOG1(0, 0, topic 9)
  const code = '0x600760055560095f5fa1'
  const outcome = createEngine().execute(message({ value: 3n }), BLOCK, stateWith(code, 10n))
  const target = outcome.effects.get(toHexDigits(TARGET))
  expect(target?.account?.balance).toBe(3n)
  expect(
    [...(target?.storage ?? [])].map(([slot, value]) => [
      BigInt(`0x${slot}`),
      BigInt(toHex(value)),
    ]),
  ).toEqual([[5n, 7n]])
  expect(outcome.effects.get(toHexDigits(CALLER))?.account?.balance).toBe(7n)
  expect(outcome.logs).toHaveLength(1)
})

test('a creation deploys code at the address of sender and nonce', () => {
  // Returns one byte: STOP.
  const outcome = createEngine().execute(
    message({ to: undefined, data: fromHex('0x60015ff3'), nonce: 0n }),
    BLOCK,
    stateWith('0x00'),
  )
  expect(outcome.status).toBe('success')
  const created = outcome.createdAddress ?? new Uint8Array(0)
  const effect = outcome.effects.get(toHexDigits(created))
  expect(effect?.code).toEqual(Uint8Array.of(0))
  expect(effect?.account?.nonce).toBe(1n)
})

test('creation over an account with storage collides (EIP-7610)', () => {
  const state = { ...stateWith('0x00'), hasStorage: () => true }
  const world = {
    ...state,
    account: (address: Uint8Array) =>
      state.account(address) ?? { nonce: 0n, balance: 1n, codeHash: EMPTY_CODE_HASH },
  }
  const outcome = createEngine().execute(
    message({ to: undefined, data: fromHex('0x60015ff3') }),
    BLOCK,
    world,
  )
  expect(outcome).toMatchObject({ status: 'halt', error: 'contract address collision' })
})

test('transient storage and warmth do not survive into the next message', () => {
  // TLOAD(0) stored in memory and returned after TSTORE(0, 1) and a cold SLOAD.
  const state = stateWith('0x5f5c5f5260015f5d6001545060205ff3')
  const engine = createEngine()
  const first = engine.execute(message(), BLOCK, state)
  const second = engine.execute(message(), BLOCK, state)
  expect(BigInt(toHex(second.output))).toBe(0n)
  expect(second.gasUsed).toBe(first.gasUsed)
})

test('messages of which one runs while the other reads its state do not see each other', () => {
  const engine = createEngine()
  const [inner, outer] = ['0x60015f555f545f5260205ff3', '0x60025f555f545f526001545060205ff3']
  const outcomes: Outcome[] = []
  const state: StateView = {
    ...stateWith(outer),
    storage(address, slot) {
      outcomes[0] ??= engine.execute(message(), BLOCK, stateWith(inner))
      return stateWith(outer).storage(address, slot)
    },
  }
  outcomes[1] = engine.execute(message(), BLOCK, state)
  expect(outcomes.map(({ output }) => BigInt(toHex(output)))).toEqual([1n, 2n])
})

test('an access list makes addresses and slots warm', () => {
  const state = stateWith('0x60055450')
  const cold = createEngine().execute(message(), BLOCK, state)
  const slot = fromHex('05'.padStart(64, '0'))
  const accessList = [{ address: TARGET, storageKeys: [slot] }]
  const warm = createEngine().execute(message({ accessList }), BLOCK, state)
  expect(cold.gasUsed - warm.gasUsed).toBe(2000n)
})
