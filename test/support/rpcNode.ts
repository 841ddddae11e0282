/** A node for tests of JSON-RPC methods: a chain and a pool in memory, and everything between real. */
import { expect } from 'vitest'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { bigintToFixedBytes } from '../../src/base/bytes.ts'
import { systemClock, type Clock } from '../../src/base/clock.ts'
import { fromHex } from '../../src/base/hex.ts'
import { createKeyedQueue } from '../../src/base/keyedQueue.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { createSerialQueue } from '../../src/base/serialQueue.ts'
import { VERSION } from '../../src/base/version.ts'
import type { ChainRules } from '../../src/chain/executed.ts'
import type { ChainReader } from '../../src/chain/reader.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import type { UnsignedTransaction } from '../../src/chain/unsignedTransaction.ts'
import { createEventBus } from '../../src/events/bus.ts'
import { createFilterRegistry } from '../../src/events/filters.ts'
import type { Engine } from '../../src/evm/types.ts'
import { answerCall } from '../../src/rpc/calls/answer.ts'
import { createCallExecutor } from '../../src/rpc/calls/executor.ts'
import { clientVersion } from '../../src/node/clientVersion.ts'
import { answerExecution, buffersOf } from '../../src/rpc/executions/answer.ts'
import { createEngines } from '../../src/rpc/executions/engines.ts'
import { createExecutions } from '../../src/rpc/executions/executor.ts'
import { createFeeOracle } from '../../src/rpc/fees/oracle.ts'
import { createPendingBlocks } from '../../src/rpc/pending/pendingBlocks.ts'
import type { World } from '../../src/rpc/world.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { compileArguments } from '../../src/wire/arguments.ts'
import type { BlockProfile, Caller } from '../../src/wire/method.ts'
import {
  BASE_FEE,
  CHAIN_ID,
  createMemoryChain,
  GAS_LIMIT,
  GENESIS_TIME_NS,
  type MemoryAccount,
  type MemoryChain,
} from './memoryChain.ts'
import { createMemoryKeystore } from './memoryKeystore.ts'
import { createMemoryPool, type MemoryPool } from './memoryPool.ts'

/** A key that the node holds and has unlocked, and one that it holds locked. */
export const ALICE_KEY = bigintToFixedBytes(0xa11cen, 32)
export const ALICE = addressOfPrivateKey(ALICE_KEY)
const BOB_KEY = bigintToFixedBytes(0xb0bn, 32)
export const BOB = addressOfPrivateKey(BOB_KEY)
/** A contract that emits logs, in chains of `createTestNode`. */
export const CONTRACT = fromHex('0xc0ffee00000000000000000000000000000000ee')
export const TOPIC = bigintToFixedBytes(0x70b1cn, 32)
export const OTHER_TOPIC = bigintToFixedBytes(0x07e2n, 32)

/** A transaction by Alice; everything has a default. */
export function transactionByAlice(fields: Partial<UnsignedTransaction> = {}): Transaction {
  return signTransaction(
    {
      type: 2,
      chainId: CHAIN_ID,
      nonce: 0n,
      maxFeePerGas: 3n * BASE_FEE,
      maxPriorityFeePerGas: BASE_FEE / 2n,
      gasLimit: 90_000n,
      to: BOB,
      value: 1n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
      ...fields,
    },
    ALICE_KEY,
  )
}

export type Requests = {
  /** Calls a method as the dispatcher does, and checks that the answer has the promised shape. */
  request(name: string, ...params: readonly unknown[]): Promise<unknown>
}

export type TestNode = World & Requests & { readonly chain: MemoryChain; readonly pool: MemoryPool }

/** Alice is unlocked, Bob is locked, and no other account exists. Their passphrases are their names. */
function testAccounts(clock: Clock): World['accounts'] {
  const keystore = createMemoryKeystore([
    [ALICE_KEY, 'alice'],
    [BOB_KEY, 'bob'],
  ])
  const accounts = createAccounts(keystore, { scope: 'anyone', clock })
  accounts.unlockWith([ALICE_KEY.slice()])
  return accounts
}

/** A clock that does not delay passphrase guesses. */
const impatientClock: Clock = { ...systemClock, sleep: async () => undefined }

const noWallet = (): never => expect.fail('this node has no wallets')

const CALLER: Caller = {
  transport: 'http',
  authorized: false,
  principal: undefined,
  client: 'test',
  profile: 'spec',
  connection: undefined,
}

async function requestOf(
  node: World,
  profile: BlockProfile,
  name: string,
  params: readonly unknown[],
): Promise<unknown> {
  const method = METHODS[name]
  if (!method) throw new Error(`no method ${name}`)
  const args = compileArguments(method.params)(params)
  const answer: unknown = await method.call(node, args, { ...CALLER, profile })
  const onWire: unknown = JSON.parse(JSON.stringify(answer))
  expect(method.result.safeParse(onWire).error?.issues ?? []).toEqual([])
  return onWire
}

let engine: Promise<Engine> | undefined

/** The engine takes long to load, and few tests need it. */
function engineOnce(): Promise<Engine> {
  engine ??= import('../../src/evm/createEngine.ts').then(({ createEngine }) => createEngine())
  return engine
}

export type TestNodeOptions = {
  readonly profile?: BlockProfile
  readonly limits?: Partial<World['limits']>
  readonly retention?: World['retention']
  readonly nowNs?: () => bigint
  readonly calls?: World['calls']
  readonly executions?: World['executions']
  readonly accounts?: World['accounts']
  readonly wallets?: World['wallets']
  readonly settings?: World['settings']
  readonly peers?: ReturnType<World['network']['peers']>
  /** Of another chain than those of `createTestNode`. */
  readonly rules?: ChainRules
  /** Time of the unlocks. */
  readonly clock?: Clock
}

/** A node over a chain and a pool. */
export function nodeOver<Chain extends ChainReader>(
  chain: Chain,
  pool: MemoryPool,
  options: TestNodeOptions = {},
): World & Requests & { readonly chain: Chain } {
  const rules: ChainRules = options.rules ?? {
    chainId: CHAIN_ID,
    blockGasLimit: GAS_LIMIT,
    initialBaseFee: BASE_FEE,
    minBaseFee: 7n,
  }
  const { signal } = new AbortController()
  const turns = createSerialQueue()
  const engines = createEngines(1n)
  const executionWorld = { chain, rules, gasCap: 25_000_000n, timeoutMs: 5000, engines }
  const executions =
    options.executions ??
    createExecutions(
      async (execution) => {
        const answer = await turns.run(() => answerExecution(executionWorld, execution))
        // As it comes out of a worker.
        return structuredClone(answer, { transfer: buffersOf(answer) })
      },
      (message) => expect.fail(message),
    )
  const node = {
    chain,
    pool,
    rules,
    accounts: options.accounts ?? testAccounts(options.clock ?? impatientClock),
    wallets: options.wallets ?? { initialize: noWallet, open: noWallet, unpair: noWallet },
    settings: options.settings ?? {
      setMinimumGasPrice: () => false,
      setRewardAddress: async () => false,
    },
    calls:
      options.calls ??
      createCallExecutor(
        async (request) =>
          answerCall({ chain, rules, gasCap: 25_000_000n, engine: await engineOnce() }, request),
        (message) => expect.fail(message),
      ),
    executions,
    estimatesAt: { tag: 'latest' } as const,
    pending: createPendingBlocks({
      chain,
      rules,
      pool,
      executions,
      proposer: new Uint8Array(20).fill(9),
      maxTxBytes: 1 << 20,
      next: () => ({ timeNs: (options.nowNs ?? ((): bigint => GENESIS_TIME_NS))() }),
      now: () => performance.now(),
      isDevelopment: false,
    }),
    fees: createFeeOracle(chain, rules, {
      minGasPrice: 0n,
      nowNs: options.nowNs ?? ((): bigint => GENESIS_TIME_NS),
    }),
    network: {
      clientVersion: clientVersion(VERSION),
      peers: () => options.peers ?? [],
      namespaces: ['eth', 'net', 'web3'],
      dataFolder: '/home/assay',
      self: { id: 'ab'.repeat(20), name: 'test', listenAddress: '127.0.0.1:26657' },
    },
    bus: createEventBus(),
    filters: createFilterRegistry(
      { chain, pool },
      { idleMs: 300_000, capacity: 100, logsPerPoll: 1000, signal },
    ),
    limits: {
      logs: 1000,
      logRange: undefined,
      logTimeMs: 5000,
      transactionFee: 10n ** 18n,
      subscriptions: 100,
      ...options.limits,
    },
    retention: options.retention ?? {},
    methods: METHODS,
    sends: createKeyedQueue(),
    coinbase: () => new Uint8Array(20).fill(0xc0),
    syncing: () => undefined,
  }
  return {
    ...node,
    request: (name, ...params) => requestOf(node, options.profile ?? 'spec', name, params),
  }
}

/** A node whose chain, in memory, has only its genesis, with the given accounts by address in hex digits. */
export function createTestNode(
  options: TestNodeOptions & { readonly genesis?: Readonly<Record<string, MemoryAccount>> } = {},
): TestNode {
  const pool = createMemoryPool()
  return { ...nodeOver(createMemoryChain(options.genesis), pool, options), pool }
}

/** Block 1: a transfer, and a call of CONTRACT with two logs. Block 2: empty. Block 3: a failed creation and one log. */
export function withThreeBlocks(node: TestNode): TestNode {
  const log = { address: CONTRACT, topics: [TOPIC], data: Uint8Array.of(1, 2) }
  node.chain.append([
    {
      transaction: transactionByAlice({
        type: 0,
        maxFeePerGas: 2n * BASE_FEE,
        maxPriorityFeePerGas: 2n * BASE_FEE,
      }),
    },
    {
      transaction: transactionByAlice({ nonce: 1n, to: CONTRACT, data: Uint8Array.of(0xaa) }),
      gasUsed: 50_000n,
      logs: [log, { ...log, topics: [OTHER_TOPIC, TOPIC], data: new Uint8Array(0) }],
    },
  ])
  node.chain.append()
  node.chain.append([
    {
      transaction: transactionByAlice({ nonce: 2n, to: undefined, data: Uint8Array.of(0xfe) }),
      gasUsed: 90_000n,
      status: 0,
      contractAddress: new Uint8Array(20).fill(0xdd),
    },
    {
      transaction: transactionByAlice({
        nonce: 3n,
        type: 1,
        to: CONTRACT,
        maxPriorityFeePerGas: 3n * BASE_FEE,
      }),
      gasUsed: 30_000n,
      logs: [log],
    },
  ])
  return node
}
