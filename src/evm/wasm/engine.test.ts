import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { bytesToBigint, concatBytes, equalBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { EngineMemoryError } from '../engineMemoryError.ts'
import { overlay } from '../overlay.ts'
import { EMPTY_CODE_HASH, type Message, type StateView } from '../types.ts'
import type { Step } from '../hooks.ts'
import type { Hardfork } from '../rules.ts'
import { createWasmEngine } from './engine.ts'

const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)
const OTHER = new Uint8Array(20).fill(0xcc)

function stateWith(code: string, otherCode = '0x'): StateView {
  const world = overlay(emptyState)
  const put = (address: Uint8Array, bytes: Uint8Array) => {
    const codeHash = bytes.length === 0 ? EMPTY_CODE_HASH : keccak256(bytes)
    world.setAccount(address, { nonce: 1n, balance: 10n, codeHash }, bytes)
  }
  put(CALLER, new Uint8Array(0))
  put(TARGET, fromHex(code))
  put(OTHER, fromHex(otherCode))
  return world
}

function message(fields: Partial<Message> = {}): Message {
  return {
    caller: CALLER,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit: 1_000_000n,
    gasPrice: 0n,
    origin: CALLER,
    nonce: 0n,
    accessList: [],
    ...fields,
  }
}

test('calls go 1,024 deep and no deeper', () => {
  // Calls itself with all gas; returns the depth below it plus one.
  const code = '0x60205f5f5f5f305af1505f5160010160005260205ff3'
  const { output, status } = createWasmEngine().execute(
    message({ gasLimit: 1n << 55n }),
    EVM_BLOCK,
    stateWith(code),
  )
  expect(status).toBe('success')
  expect(bytesToBigint(output)).toBe(1025n)
})

test('an execution that does not end is ended by what poll throws, and the engine lives on', () => {
  let polls = 0
  const engine = createWasmEngine({
    poll() {
      polls++
      if (polls === 3) throw new Error('time is over')
    },
  })
  const endless = stateWith('0x5b5f56')
  const run = () => engine.execute(message({ gasLimit: 1n << 60n }), EVM_BLOCK, endless)
  expect(run).toThrow('time is over')
  expect(engine.execute(message(), EVM_BLOCK, stateWith('0x00')).status).toBe('success')
})

test('endless calls of short frames are ended too', () => {
  let polls = 0
  const engine = createWasmEngine({
    poll() {
      polls++
      if (polls === 2) throw new Error('time is over')
    },
  })
  // Calls OTHER forever; each call costs little, so only counting frames can end it in time.
  const looping = stateWith(`0x5b5f5f5f5f5f73${'cc'.repeat(20)}61fffff1505f56`, '0x00')
  expect(() => engine.execute(message({ gasLimit: 1n << 60n }), EVM_BLOCK, looping)).toThrow(
    'time is over',
  )
})

test('steps are told with depth, stack and gas, and change nothing', () => {
  const steps: Pick<Step, 'depth' | 'pc' | 'opcode' | 'gas' | 'stack'>[] = []
  // PUSH1 2, PUSH1 3, ADD, then calls OTHER, which is INVALID.
  const code = `0x60026003015f5f5f5f5f73${'cc'.repeat(20)}61fffff100`
  const state = stateWith(code, '0xfe')
  const traced = createWasmEngine({
    onStep: ({ depth, pc, opcode, gas, stack }) => steps.push({ depth, pc, opcode, gas, stack }),
  })
  const outcome = traced.execute(message(), EVM_BLOCK, state)
  expect(outcome).toEqual(createWasmEngine().execute(message(), EVM_BLOCK, state))
  expect(steps.slice(0, 3)).toEqual([
    { depth: 0, pc: 0, opcode: 0x60, gas: 1_000_000n, stack: [] },
    { depth: 0, pc: 2, opcode: 0x60, gas: 999_997n, stack: [2n] },
    { depth: 0, pc: 4, opcode: 0x01, gas: 999_994n, stack: [2n, 3n] },
  ])
  expect(steps.filter(({ depth }) => depth === 1).map(({ opcode }) => opcode)).toEqual([0xfe])
})

test('a creation without code takes no step', () => {
  const opcodes: number[] = []
  const traced = createWasmEngine({ onStep: ({ opcode }) => opcodes.push(opcode) })
  // PUSH0, PUSH0, PUSH0, CREATE, and the STOP behind the code.
  expect(traced.execute(message(), EVM_BLOCK, stateWith('0x5f5f5ff0')).status).toBe('success')
  expect(opcodes).toEqual([0x5f, 0x5f, 0x5f, 0xf0, 0x00])
})

test('memory of one message is zero again in the next one', () => {
  const engine = createWasmEngine()
  // MSTORE(4096, all ones); then the word there, read by code that never wrote it.
  expect(engine.execute(message(), EVM_BLOCK, stateWith('0x5f19611000525f5ff3')).status).toBe(
    'success',
  )
  const read = engine.execute(message(), EVM_BLOCK, stateWith('0x6110005160005260205ff3'))
  expect(bytesToBigint(read.output)).toBe(0n)
})

test('a very large memory is given back', () => {
  const engine = createWasmEngine()
  // MSTORE8 at 200 MB, which costs 85 million gas.
  const state = stateWith('0x5f630bebc20053')
  expect(engine.execute(message({ gasLimit: 1n << 40n }), EVM_BLOCK, state).status).toBe('success')
  expect(engine.execute(message(), EVM_BLOCK, stateWith('0x00')).status).toBe('success')
})

test('a state view that runs messages itself gets another instance', () => {
  const engine = createWasmEngine()
  const inner = stateWith('0x60075f5260205ff3')
  const outer = stateWith('0x5f545f5260205ff3')
  const nesting: StateView = {
    ...outer,
    storage: () => engine.execute(message(), EVM_BLOCK, inner).output,
  }
  expect(bytesToBigint(engine.execute(message(), EVM_BLOCK, nesting).output)).toBe(7n)
})

test('a state view that throws ends the message with its error', () => {
  const engine = createWasmEngine()
  const broken: StateView = {
    ...stateWith('0x5f54'),
    storage() {
      throw new Error('the disk is gone')
    },
  }
  expect(() => engine.execute(message(), EVM_BLOCK, broken)).toThrow('the disk is gone')
  expect(engine.execute(message(), EVM_BLOCK, stateWith('0x00')).status).toBe('success')
})

test('the host is asked for a slot once, and for nothing that is not read', () => {
  const asked: string[] = []
  const state = stateWith('0x5b60055450600554505f5c60025560055460065500')
  const counting: StateView = {
    ...state,
    storage(address, slot) {
      asked.push(`${toHexDigits(address)} ${bytesToBigint(slot)}`)
      return state.storage(address, slot)
    },
    code(hash) {
      asked.push('code')
      return state.code(hash)
    },
  }
  createWasmEngine().execute(message(), EVM_BLOCK, counting)
  const target = toHexDigits(TARGET)
  expect(asked).toEqual(['code', `${target} 5`, `${target} 2`, `${target} 6`])
})

test('a contract that creates and destroys in one message leaves a record of it (EIP-6780)', () => {
  // CREATE with init code "CALLER SELFDESTRUCT" and value 3.
  const { effects, status } = createWasmEngine().execute(
    message(),
    EVM_BLOCK,
    stateWith('0x6133ff5f526002601e6003f000'),
  )
  expect(status).toBe('success')
  const destroyed = [...effects.values()].find(({ storageCleared }) => storageCleared)
  expect(destroyed?.account).toBeUndefined()
  expect(effects.get(toHexDigits(TARGET))?.account).toMatchObject({ nonce: 2n, balance: 10n })
})

test('delegated code runs in the name of the account, with its storage (EIP-7702)', () => {
  const designator = concatBytes(fromHex('0xef0100'), OTHER)
  const state = stateWith(`0x${toHexDigits(designator)}`, '0x30600155')
  const { effects } = createWasmEngine().execute(message(), EVM_BLOCK, state)
  const value = effects.get(toHexDigits(TARGET))?.storage.get('1'.padStart(64, '0'))
  expect(equalBytes(value?.subarray(12) ?? new Uint8Array(0), TARGET)).toBe(true)
  const before = createWasmEngine().execute(message(), { ...EVM_BLOCK, hardfork: 'cancun' }, state)
  expect(before).toMatchObject({ status: 'halt', error: 'invalid opcode: opcode 0xef not defined' })
})

test('one engine follows the fork of each block: an opcode of a later one is not defined', () => {
  const state = stateWith('0x60011e')
  const engine = createWasmEngine()
  const statusAt = (hardfork: Hardfork) =>
    engine.execute(message(), { ...EVM_BLOCK, hardfork }, state).status
  expect(['osaka', 'prague', 'osaka', 'cancun'].map((fork) => statusAt(fork as Hardfork))).toEqual([
    'success',
    'halt',
    'success',
    'halt',
  ])
})

test('a slot is asked for once while the storage is the same, and again when it is another one', () => {
  // The value of slot 5.
  const code = '0x60055460005260206000f3'
  const engine = createWasmEngine()
  let reads = 0
  const read = (value: number, storageIdentity: object | undefined): number | undefined => {
    const storage = (): Uint8Array => {
      reads++
      return new Uint8Array(32).fill(value, 31)
    }
    const state = { ...stateWith(code), storage, storageIdentity: () => storageIdentity }
    return engine.execute(message(), EVM_BLOCK, state).output[31]
  }
  const [first, second] = [{}, {}]
  expect([read(1, first), read(1, first), reads]).toEqual([1, 1, 1])
  expect([read(2, second), read(2, second), reads]).toEqual([2, 2, 2])
  // Without an identity nothing is cached, and earlier cached values are not visible.
  expect([read(3, undefined), read(4, undefined), reads]).toEqual([3, 4, 4])
})

test('digests of 64 bytes are right whether or not they were met before', () => {
  // The digest of the first 64 bytes of the input.
  const state = stateWith('0x60405f5f3760405f205f5260205ff3')
  const engine = createWasmEngine()
  // Zeros equal the contents of an unused entry.
  const inputs = Array.from({ length: 300 }, (_, i) => new Uint8Array(64).fill(i % 256, i >> 3))
  for (const data of [...inputs, ...inputs, ...inputs.toReversed()])
    expect(engine.execute(message({ data }), EVM_BLOCK, state).output).toEqual(keccak256(data))
})

/** EXTCODESIZE of one address after the other, while there is gas: each has its own code. */
const LOADS_CODES = '0x5f5b600101803b5060015600'

function manyCodes(): StateView {
  const world = stateWith(LOADS_CODES)
  const large = new Uint8Array(24_576)
  return {
    ...world,
    account: (address) =>
      address[0] === 0 && address[1] === 0
        ? { nonce: 1n, balance: 0n, codeHash: keccak256(address) }
        : world.account(address),
    code: (hash) => {
      const own = world.account(TARGET)
      return own !== undefined && equalBytes(own.codeHash, hash) ? world.code(hash) : large
    },
  }
}

test('25 million gas may load as many codes as it pays for', () => {
  const engine = createWasmEngine()
  const outcome = engine.execute(message({ gasLimit: 25_000_000n }), EVM_BLOCK, manyCodes())
  expect(outcome).toMatchObject({ status: 'halt', error: 'out of gas' })
})

test('a call that needs more memory than there is ends with an error that says so, and the next one runs', () => {
  const engine = createWasmEngine()
  expect(() => engine.execute(message({ gasLimit: 100_000_000n }), EVM_BLOCK, manyCodes())).toThrow(
    EngineMemoryError,
  )
  expect(engine.execute(message(), EVM_BLOCK, stateWith('0x00')).status).toBe('success')
})
