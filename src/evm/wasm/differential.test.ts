/**
 * The engine against @ethereumjs/evm on random programs in random states, interpreted and compiled. ASSAY_FUZZ_PROGRAMS
 * and ASSAY_FUZZ_SEED make it longer.
 */
import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { createEthereumjsEngine } from '../../../test/support/ethereumjs/engine.ts'
import { randomLoop } from '../../../test/support/randomLoop.ts'
import {
  pick,
  randomProgram,
  seededRandom,
  type Random,
} from '../../../test/support/randomProgram.ts'
import { concatBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { overlay } from '../overlay.ts'
import { HARDFORKS, type Hardfork } from '../rules.ts'
import {
  EMPTY_CODE_HASH,
  type AccountEffect,
  type Message,
  type Outcome,
  type StateView,
} from '../types.ts'
import { createWasmEngine } from './engine.ts'

const PROGRAMS = Number(process.env['ASSAY_FUZZ_PROGRAMS'] ?? 1500)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 1)

const address = (last: number): Uint8Array => fromHex(last.toString(16).padStart(40, '0'))
const CALLER = new Uint8Array(20).fill(0xaa)
const CONTRACTS = [0x11, 0x12, 0x13, 0x14].map((byte) => new Uint8Array(20).fill(byte))
const DELEGATING = new Uint8Array(20).fill(0x77)
const MISSING = new Uint8Array(20).fill(0x99)
const KNOWN = [
  ...CONTRACTS,
  ...CONTRACTS,
  DELEGATING,
  CALLER,
  MISSING,
  EVM_BLOCK.coinbase,
  ...[1, 2, 3, 4, 5, 6, 7, 9, 0x100].map(address),
]

type Writer = (random: Random, addresses: readonly Uint8Array[]) => Uint8Array

function randomState(random: Random, write: Writer): StateView {
  const world = overlay(emptyState)
  const effects = new Map<string, AccountEffect>()
  function put(at: Uint8Array, nonce: bigint, balance: bigint, code: Uint8Array): void {
    const storage = new Map<string, Uint8Array>()
    if (code.length > 0)
      for (let slot = 0; slot < 4; slot++)
        if (random(2) === 0) {
          const value = new Uint8Array(32)
          value[31] = 1 + random(3)
          storage.set(slot.toString(16).padStart(64, '0'), value)
        }
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    effects.set(toHexDigits(at), {
      address: at,
      account: { nonce, balance, codeHash },
      code,
      storageCleared: false,
      storage,
    })
  }
  for (const contract of CONTRACTS) put(contract, 1n, BigInt(random(5)), write(random, KNOWN))
  const delegate = pick(random, KNOWN)
  put(DELEGATING, 3n, 5n, concatBytes(Uint8Array.of(0xef, 1, 0), delegate))
  put(CALLER, 7n, 10n ** 18n, new Uint8Array(0))
  world.apply(effects)
  // It is no longer overridden.
  const identity = {}
  return { ...world, storageIdentity: () => identity }
}

/** Gas is mostly low: a hundred iterations of a loop tell no more than ten. */
const GAS_LIMITS = [30_000, 60_000, 100_000, 100_000, 200_000, 400_000]

function randomMessage(random: Random, write: Writer): Message {
  const creates = random(6) === 0
  const data = creates
    ? write(random, KNOWN)
    : Uint8Array.from({ length: random(100) }, () => random(256))
  return {
    caller: CALLER,
    to: creates ? undefined : pick(random, KNOWN),
    value: BigInt(pick(random, [0, 0, 1, 100])),
    data,
    gasLimit: BigInt(random(40) === 0 ? 2_000_000 : pick(random, GAS_LIMITS)),
    gasPrice: 10n,
    origin: CALLER,
    nonce: 6n,
    accessList:
      random(3) === 0 ? [{ address: pick(random, KNOWN), storageKeys: [new Uint8Array(32)] }] : [],
    blobVersionedHashes: random(3) === 0 ? [new Uint8Array(32).fill(1)] : [],
  }
}

/**
 * The other engine is coarser: it reports all these as "out of gas", including a missing word, because it charges
 * before it checks the stack. It also charges for new code before it checks its first byte; we follow go-ethereum.
 */
function comparableError(error: string): string {
  const outOfGas = [
    'out of gas: not enough gas for reentrancy sentry',
    'return data out of bounds',
    'gas uint64 overflow',
    'contract creation code storage out of gas',
    'invalid code: must not begin with 0xef',
    'invalid precompile input',
  ]
  return outOfGas.includes(error) || error.startsWith('stack underflow')
    ? 'out of gas'
    : error.replace(/^(invalid opcode).*/, '$1')
}

function comparable(outcome: Outcome): unknown {
  const effects = [...outcome.effects]
    .map(([key, { account, code, storageCleared, storage }]) => ({
      key,
      account: account && { ...account, codeHash: toHexDigits(account.codeHash) },
      // Code that is already there may be given again.
      code: code === undefined || code.length === 0 ? '' : toHexDigits(code),
      storageCleared,
      storage: [...storage].map(([slot, value]) => `${slot}=${toHexDigits(value)}`).sort(),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  return {
    status: outcome.status,
    error: comparableError(outcome.error),
    gasUsed: outcome.gasUsed,
    gasRefund: outcome.gasRefund,
    output: toHexDigits(outcome.output),
    logs: outcome.logs.map(({ address: at, topics, data }) =>
      [at, ...topics, data].map(toHexDigits).join(' '),
    ),
    effects,
    created: outcome.createdAddress && toHexDigits(outcome.createdAddress),
  }
}

type RecordedStep = {
  readonly pc: number
  readonly opcode: number
  readonly gas: bigint
  /** The top of the stack; zero when it is empty. */
  readonly top: bigint
}

const STOP = 0x00
const REVERT = 0xfd
/** The other engine's code for every unknown opcode. */
const INVALID = 0xfe

/** Short slices of gas compile code sooner; long ones run more of it compiled. */
const COMPILING_SLICES = [100n, 1_000n]

/** Both engines, with and without recording their steps; and ours with compilation. */
function createPair(hardfork: Hardfork) {
  let mine: RecordedStep[] = []
  let other: RecordedStep[] = []
  return {
    plain: { ours: createWasmEngine(), theirs: createEthereumjsEngine(hardfork) },
    compiling: COMPILING_SLICES.map((gas) =>
      createWasmEngine({ compilesHotCode: true, polling: { gas, frames: 4096 } }),
    ),
    traced: {
      ours: createWasmEngine({
        onStep: ({ pc, opcode, gas, stack }) => {
          // The other engine reads this opcode's output before it reports the step, and does not report it if the stack
          // is too low.
          if (opcode === REVERT && stack.length < 2) return
          mine.push({ pc, opcode, gas, top: stack.at(-1) ?? 0n })
        },
      }),
      theirs: createEthereumjsEngine(hardfork, ({ pc, opcode, gasLeft, stack }) => {
        other.push({ pc, opcode: opcode.code, gas: gasLeft, top: stack.at(-1) ?? 0n })
      }),
    },
    /** The steps since the last time, ours first. Without STOP: the other engine does not see the one that ends every code. */
    takeSteps(): readonly (readonly RecordedStep[])[] {
      const theirs = other.filter(({ opcode }) => opcode !== STOP)
      const ours = mine
        .filter(({ opcode }) => opcode !== STOP)
        .map((step, i) => (theirs[i]?.opcode === INVALID ? { ...step, opcode: INVALID } : step))
      const taken = [ours, theirs]
      mine = []
      other = []
      return taken
    },
  }
}

/** Every N-th program is compared step by step, too: that takes several times as long. */
const TRACED_SHARE = 16

/** Every N-th program is a looping one, and runs compiled as well. */
const LOOPING_SHARE = 8

/** Every N-th program runs twice. */
const AGAIN_SHARE = 4

/**
 * EIP-3541 is about deployed code. The other engine also applies it to a creation's revert data, and then takes all
 * gas.
 */
const isRevertedCode = ({ to }: Message, { status, output }: Outcome): boolean =>
  to === undefined && status === 'revert' && output[0] === 0xef

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item))

/**
 * Share of the programs per fork: the chains' fork gets most, forks used only in tests get few, and a fork that the other
 * engine does not support yet gets none.
 */
const SHARES: Readonly<Record<Hardfork, number>> = {
  berlin: 0.05,
  london: 0.05,
  paris: 0.05,
  shanghai: 0.05,
  cancun: 0.1,
  prague: 0.2,
  osaka: 0.5,
}

test.each(HARDFORKS.filter((hardfork) => SHARES[hardfork] > 0))(
  'random programs do the same on both engines (%s)',
  async (hardfork) => {
    const programs = Math.round(PROGRAMS * SHARES[hardfork])
    const { plain, traced, compiling, takeSteps } = createPair(hardfork)
    const block = { ...EVM_BLOCK, hardfork }
    const succeeded: Record<string, number> = {}
    for (let i = 0; i < programs; i++) {
      const seed = SEED + i
      const random = seededRandom(seed)
      const isLooping = i % LOOPING_SHARE === LOOPING_SHARE - 1
      const write = isLooping ? randomLoop : randomProgram
      const state = randomState(random, write)
      const message = randomMessage(random, write)
      const { ours, theirs } = i % TRACED_SHARE === 0 ? traced : plain
      // The second time, the engine knows the slots that the message reads.
      if (i % AGAIN_SHARE === 1) ours.execute(message, block, state)
      const mine = ours.execute(message, block, state)
      // Its report of a step reads all memory that the step addresses, however large: without a report it does not.
      let isReported = true
      const other = await theirs.execute(message, block, state).catch(async (error: unknown) => {
        if (!(error instanceof RangeError)) throw error
        isReported = false
        return await plain.theirs.execute(message, block, state)
      })
      const [results, expected] = [comparable(mine), comparable(other)]
      if (asText(results) !== asText(expected) && !isRevertedCode(message, mine))
        expect(results, `${hardfork}, seed ${seed}`).toEqual(expected)
      if (isLooping) {
        const compiled = comparable(pick(random, compiling).execute(message, block, state))
        if (asText(compiled) !== asText(results))
          expect(compiled, `compiled, ${hardfork}, seed ${seed}`).toEqual(results)
      }
      const [steps, otherSteps] = takeSteps()
      if (isReported && asText(steps) !== asText(otherSteps))
        expect(steps, `steps, ${hardfork}, seed ${seed}`).toEqual(otherSteps)
      succeeded[mine.status] = (succeeded[mine.status] ?? 0) + 1
    }
    // The programs must not all fail early.
    expect(succeeded['success'] ?? 0).toBeGreaterThan(programs / 10)
  },
  3_600_000,
)
