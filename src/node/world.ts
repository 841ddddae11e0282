/** What the JSON-RPC methods see of a node, and which methods those are. */
import { systemClock } from '../base/clock.ts'
import { randomBytes } from 'node:crypto'
import { createAccounts } from '../accounts/accounts.ts'
import { developmentKeys } from '../accounts/development.ts'
import { openKeystore } from '../accounts/keystore.ts'
import { createWallets } from '../accounts/wallets.ts'
import { toHexDigits } from '../base/hex.ts'
import { createKeyedQueue } from '../base/keyedQueue.ts'
import { formatAddress } from '../base/listen.ts'
import { VERSION } from '../base/version.ts'
import { rewardAddress } from '../chain/rewards.ts'
import type { ChainStore } from '../ledger/store.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import type { Log } from '../base/log.ts'
import type { EventBus } from '../events/bus.ts'
import { createFilterRegistry } from '../events/filters.ts'
import { createCallWorkers } from '../rpc/calls/callWorkers.ts'
import { createCallExecutor } from '../rpc/calls/executor.ts'
import { createInlineRunner } from '../rpc/calls/inlineRunner.ts'
import type { WorkerPoolLoad } from '../rpc/workers/workerPool.ts'
import { clientVersion } from './clientVersion.ts'
import type { DevelopmentWorld } from '../rpc/methods/development/method.ts'
import { DEVELOPMENT_METHODS, DEVELOPMENT_NAMESPACES } from '../rpc/methods/development/table.ts'
import { createExecutionWorkers } from '../rpc/executions/executionWorkers.ts'
import { createExecutions } from '../rpc/executions/executor.ts'
import { createFeeOracle } from '../rpc/fees/oracle.ts'
import { LATEST } from '../rpc/parameters/selector.ts'
import { createPendingBlocks } from '../rpc/pending/pendingBlocks.ts'
import type { World } from '../rpc/world.ts'
import { METHODS } from '../rpc/table.ts'
import type { MethodTable } from '../wire/dispatch.ts'
import { isLocalOnly } from '../wire/server.ts'
import type { NodeConsensus } from './consensus.ts'
import { withAutomining, withImpersonation } from './development.ts'
import { pruningOf } from './pruning.ts'
import { createNodeSettings } from './settings.ts'

type Settings = { readonly home: Home; readonly config: NodeConfig; readonly log: Log }

/** What the methods' world is built from, besides the settings. */
type Parts = {
  readonly store: ChainStore
  readonly rules: World['rules']
  readonly chainName: string
  readonly consensus: NodeConsensus
  /** Maximum size of a proposal's transactions. */
  readonly maxTxBytes: number
  readonly bus: EventBus
  /** Called with the function that reads the load of the worker threads. */
  readonly pools: Map<string, () => WorkerPoolLoad>
  readonly signal: AbortSignal
}

/** What the JSON-RPC methods see. */
export function createWorld(
  { home, config, log }: Settings,
  { store, rules, chainName, consensus, maxTxBytes, bus, pools, signal }: Parts,
) {
  const { pool, consensusAddress, development } = consensus
  const chain = store.reader
  const isLocal = isLocalOnly(
    config['json-rpc.address'],
    config['json-rpc.ws-address'],
    config['rpc.laddr'],
  )
  const scryptCost = config['accounts.light-scrypt'] ? 'light' : 'standard'
  const accounts = createAccounts(openKeystore(home.keystore, scryptCost), {
    scope: isLocal ? 'anyone' : 'principal',
  })
  if (config['accounts.unlock-development'] && isLocal) accounts.unlockWith(developmentKeys())
  const gasCap = BigInt(config['json-rpc.gas-cap'])
  // Blocks that are rolled back leave readers with states that the store no longer has.
  const confirm = rules.isDevelopment === true ? undefined : store.confirmAbsent
  const workers = createCallWorkers({
    folder: home.chainStore,
    rules,
    gasCap,
    workers: config['json-rpc.call-workers'],
    timeoutMs: config['json-rpc.evm-timeout'],
    signal,
    exposeLoad: (read) => pools.set('calls', read),
    confirm,
    onFault: (reason) => log.error({ reason }, 'a call worker failed'),
  })
  const calls = createCallExecutor(
    createInlineRunner({
      chain,
      rules,
      gasCap,
      seed: randomBytes(8).readBigUInt64LE(),
      now: () => performance.now(),
      workers,
    }),
    (reason) => log.error({ reason }, 'a call failed'),
  )
  const executions = createExecutions(
    createExecutionWorkers({
      folder: home.chainStore,
      rules,
      gasCap,
      timeoutMs: config['json-rpc.evm-timeout'],
      workers: config['json-rpc.call-workers'],
      signal,
      exposeLoad: (read) => pools.set('traces', read),
      confirm,
      onFault: (reason) => log.error({ reason }, 'an execution worker failed'),
    }),
    (reason) => log.error({ reason }, 'an execution failed'),
  )
  const fees = createFeeOracle(chain, rules, {
    minGasPrice: config['minimum-gas-prices'],
    nowNs: systemClock.now,
  })
  const pending = createPendingBlocks({
    chain,
    rules,
    pool,
    executions,
    proposer: consensusAddress,
    maxTxBytes,
    next: development?.nextBlock ?? (() => ({ timeNs: systemClock.now() })),
    now: () => performance.now(),
    isDevelopment: development !== undefined,
  })
  const sends = createKeyedQueue()
  return {
    chain,
    rules,
    pool,
    accounts,
    wallets: createWallets(home.keystore, { cost: scryptCost }),
    settings: createNodeSettings(
      home,
      { chain, pool: development ? withAutomining(pool, development) : pool, fees, sends, bus },
      { consensusAddress, denomination: `a${chainName}`, log },
    ),
    calls,
    executions,
    pending,
    estimatesAt: LATEST,
    fees,
    network: {
      clientVersion: clientVersion(VERSION),
      peers: consensus.peers,
      namespaces: config['json-rpc.api'],
      dataFolder: home.folder,
      self: {
        id: toHexDigits(consensusAddress),
        name: config.moniker,
        listenAddress: formatAddress(config['rpc.laddr']),
      },
    },
    bus,
    filters: createFilterRegistry(
      { chain, pool },
      {
        idleMs: config['json-rpc.filter-timeout'],
        capacity: config['json-rpc.max-filters'],
        logsPerPoll: config['json-rpc.logs-cap'],
        signal,
      },
    ),
    limits: {
      logs: config['json-rpc.logs-cap'],
      logRange: config['json-rpc.logs-range'] === 0 ? undefined : config['json-rpc.logs-range'],
      logTimeMs: config['json-rpc.logs-timeout'],
      transactionFee: config['json-rpc.txfee-cap'],
      subscriptions: config['json-rpc.max-subscriptions'],
    },
    retention: {
      ...pruningOf(config),
      // The window does not count the last block.
      ...(!config['state.archive'] && { proofs: config['state.proof-window'] + 1 }),
    },
    methods: METHODS,
    sends,
    coinbase: () => rewardAddress(store.latest(), consensusAddress),
    syncing: consensus.syncing,
  } satisfies World
}

/** All methods and what they see: on a development chain there are more, with their own accounts and pool (D56). */
export function tableOf(world: World, { development }: Pick<NodeConsensus, 'development'>) {
  if (development === undefined) return { table: METHODS, world }
  development.onRollBack(world.filters.rewind)
  const accounts = withImpersonation(world.accounts, development)
  const pool = withAutomining(world.pool, development)
  const table: MethodTable<DevelopmentWorld> = { ...METHODS, ...DEVELOPMENT_METHODS }
  const network = {
    ...world.network,
    // Hardhat's helpers query this name before they do anything.
    clientVersion: `HardhatNetwork-compatible ${world.network.clientVersion}`,
    namespaces: [...world.network.namespaces, ...DEVELOPMENT_NAMESPACES],
  }
  const coinbase = () => development.coinbase() ?? world.coinbase()
  const parts = { network, accounts, pool, coinbase, development }
  return { table, world: { ...world, ...parts, estimatesAt: { tag: 'pending' } as const } }
}
