import { afterAll, describe, expect, test } from 'vitest'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { decodeTransaction } from '../../src/chain/transaction.ts'
import { overlay, type Overlay } from '../../src/evm/overlay.ts'
import { emptyState } from '../../src/evm/emptyState.ts'
import type { Hardfork } from '../../src/evm/rules.ts'
import { createTracedEngine } from '../../src/evm/tracers/engine.ts'
import type { Transactable } from '../../src/evm/transactable.ts'
import { runTransaction } from '../../src/evm/transition.ts'
import { EMPTY_CODE_HASH, type AccountEffect, type BlockEnvironment } from '../../src/evm/types.ts'
import { tracerOf } from '../../src/rpc/parameters/traceConfig.ts'
import { decodeBlobTransaction, isBlobTransaction } from '../support/blobTransaction.ts'
import { vectorFiles } from '../support/vectors.ts'

type Vector = {
  readonly genesis: {
    readonly alloc: Readonly<
      Record<
        string,
        {
          readonly balance: string
          readonly nonce?: string
          readonly code?: string
          readonly storage?: Readonly<Record<string, string>>
        }
      >
    >
    readonly config: Readonly<Record<string, unknown>>
  }
  readonly context: Readonly<Record<string, string>>
  readonly input: string
  readonly tracerConfig?: Record<string, unknown>
  readonly result: unknown
}

/** Tracers by folder. */
const TRACERS: Readonly<Record<string, string>> = {
  call_tracer: 'callTracer',
  call_tracer_legacy: 'callTracer',
  call_tracer_withLog: 'callTracer',
  call_tracer_flat: 'flatCallTracer',
  erc7562_tracer: 'erc7562Tracer',
  prestate_tracer: 'prestateTracer',
  prestate_tracer_with_diff_mode: 'prestateTracer',
}

function word(text: string): Uint8Array {
  return fromHex(text.slice(2).padStart(64, '0'))
}

function stateOf({ genesis }: Vector): Overlay {
  const world = overlay(emptyState)
  const effects = Object.entries(genesis.alloc).map(([key, account]): [string, AccountEffect] => {
    const address = fromHex(key)
    const code = fromHex(account.code ?? '0x')
    const entries = Object.entries(account.storage ?? {})
    return [
      toHexDigits(address),
      {
        address,
        account: {
          nonce: BigInt(account.nonce ?? 0),
          balance: BigInt(account.balance),
          codeHash: code.length === 0 ? EMPTY_CODE_HASH : keccak256(code),
        },
        code,
        storageCleared: false,
        storage: new Map(entries.map(([slot, value]) => [toHexDigits(word(slot)), word(value)])),
      },
    ]
  })
  world.apply(new Map(effects))
  return world
}

function environmentOf({ context, genesis }: Vector, hardfork: Hardfork): BlockEnvironment {
  return {
    hardfork,
    chainId: BigInt(String(genesis.config['chainId'])),
    height: Number(context['number']),
    timestamp: BigInt(context['timestamp'] ?? 0),
    coinbase: fromHex(context['miner'] ?? ''),
    gasLimit: BigInt(context['gasLimit'] ?? 0),
    baseFeePerGas: BigInt(context['baseFeePerGas'] ?? 0),
    prevRandao: new Uint8Array(32),
    blobBaseFee: 1n,
  }
}

function transactionOf({ input, genesis }: Vector): Transactable {
  const raw = fromHex(input)
  if (isBlobTransaction(raw)) return decodeBlobTransaction(raw)
  return decodeTransaction(raw, BigInt(String(genesis.config['chainId'])))
}

/** The fork of a vector if this engine has it: before, opcodes had other prices. */
function forkOf({ genesis: { config }, context }: Vector): Hardfork | undefined {
  const time = Number(context['timestamp'])
  const isActive = (fork: string): boolean =>
    config[fork] !== undefined && Number(config[fork]) <= time
  return (['osaka', 'prague', 'cancun'] as const).find((fork) => isActive(`${fork}Time`))
}

async function run(vector: Vector, transaction: Transactable, tracer: string): Promise<unknown> {
  const hardfork = forkOf(vector) ?? 'cancun'
  const kind = tracerOf({ tracer, tracerConfig: vector.tracerConfig })
  const { engine, observe } = createTracedEngine(kind)
  const block = environmentOf(vector, hardfork)
  const state = stateOf(vector)
  const traced = kind.start({ transaction, block, state, firstLogIndex: 0 })
  observe(traced)
  const rules = { baseFeeSink: 'burned' } as const
  return traced.result(runTransaction(engine, transaction, block, state, rules))
}

/** What old prices of opcodes decide: amounts of gas, and balances that paid for it. */
const PRICED = new Set(['gas', 'gasUsed', 'balance'])
/** What the vectors leave out, or hold only as the zero of a field that is not there. */
const OPTIONAL = new Set(['index', 'address', 'author', 'refundAddress'])
/** Where the transaction stands: the vectors know blocks that a lone transaction has not. */
const PLACES = new Set(['blockHash', 'blockNumber', 'transactionHash', 'transactionPosition'])
const ZEROS: ReadonlySet<unknown> = new Set(['0x', `0x${'0'.repeat(40)}`, null])

function isVoid(value: unknown): boolean {
  if (ZEROS.has(value)) return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** What is left out of a trace before it is compared. */
type LeftOut = {
  readonly isKey: (key: string) => boolean
  readonly isValue: (value: unknown) => boolean
}

/** A trace without some keys and values, at every depth; addresses in one case. */
function comparable(trace: unknown, leftOut: LeftOut): unknown {
  if (Array.isArray(trace)) return trace.map((item) => comparable(item, leftOut))
  if (typeof trace === 'string') return trace.toLowerCase()
  if (typeof trace !== 'object' || trace === null) return trace
  const entries = Object.entries(trace)
    .filter(([key]) => !leftOut.isKey(key))
    .map(([key, value]) => [key, comparable(value, leftOut)] as const)
  return Object.fromEntries(entries.filter(([, value]) => !leftOut.isValue(value)))
}

/** Every key that stands somewhere in a trace. */
function keysIn(trace: unknown): ReadonlySet<string> {
  if (typeof trace !== 'object' || trace === null) return new Set()
  const own = Array.isArray(trace) ? [] : Object.keys(trace)
  return new Set([...own, ...Object.values(trace).flatMap((value) => [...keysIn(value)])])
}

/** Vectors that come out otherwise here, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'call_tracer_legacy/delegatecall.json': 'made by an older tracer, without the value',
  'call_tracer_legacy/inner_create_oog_outer_throw.json': 'made by an older tracer: other words',
  'call_tracer_flat/nested_create_action_gas.json': 'old prices leave gas for one call more',
  'prestate_tracer_with_diff_mode/create_disable_code.json': 'before EIP-161: nonce 0',
  'prestate_tracer_with_diff_mode/create_disable_storage.json': 'before EIP-161: nonce 0',
  'prestate_tracer_with_diff_mode/inner_create_disable_code_and_storage.json':
    'before EIP-161: nonce 0',
  'prestate_tracer_with_diff_mode/suicide.json': 'before EIP-6780: the account is gone',
}

const counts = { equal: 0, equalButForPrices: 0 }

for (const [folder, tracer] of Object.entries(TRACERS))
  describe(folder, () => {
    for (const { name, content } of vectorFiles(`tracers/${folder}`, '.json')) {
      if (`${folder}/${name}` in DIFFERENT) continue
      const vector = JSON.parse(content.toString()) as Vector
      const isExact = forkOf(vector) !== undefined
      test(`${name}${isExact ? '' : ', but for what old prices decide'}`, async () => {
        const trace = await run(vector, transactionOf(vector), tracer)
        const expected = keysIn(vector.result)
        const leftOut: LeftOut = {
          isKey: (key) =>
            PLACES.has(key) ||
            (!isExact && PRICED.has(key)) ||
            (OPTIONAL.has(key) && !expected.has(key)),
          // Older tracers wrote out what newer ones leave out.
          isValue: isExact ? () => false : isVoid,
        }
        expect(comparable(trace, leftOut)).toEqual(comparable(vector.result, leftOut))
        counts[isExact ? 'equal' : 'equalButForPrices']++
      })
    }
  })

afterAll(() => {
  const { equal, equalButForPrices } = counts
  const different = Object.keys(DIFFERENT).length
  console.warn(
    `tracers: ${equal} equal, ${equalButForPrices} equal but for gas of older forks, ${different} different by name`,
  )
})
