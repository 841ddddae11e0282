/** The chain node: builds its parts, wires them, and stops them in reverse order. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createAccounts } from '../accounts/accounts.ts'
import { developmentKeys } from '../accounts/development.ts'
import { openKeystore } from '../accounts/keystore.ts'
import { createWallets } from '../accounts/wallets.ts'
import { messageOf } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { createKeyedQueue } from '../base/keyedQueue.ts'
import { formatAddress, type ListenAddress } from '../base/listen.ts'
import { createMetrics } from '../base/metrics.ts'
import { startMetricsServer, type MetricsServer } from '../base/metricsServer.ts'
import type { Log } from '../base/log.ts'
import { sha256 } from '../base/sha256.ts'
import { VERSION } from '../base/version.ts'
import { openAddressIndex } from '../chain/events/addressIndex.ts'
import { parseGenesis } from '../chain/genesis.ts'
import { rewardAddress } from '../chain/rewards.ts'
import { openChainStore } from '../chain/store.ts'
import { openChainTables } from '../chain/tables.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import { openBlockStore } from '../consensus/embedded/blockStore.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { createSenderRecovery } from '../consensus/senders/recovery.ts'
import { requireStore } from '../consensus/files/signState.ts'
import { createEventBus, type EventBus } from '../events/bus.ts'
import { createFilterRegistry } from '../events/filters.ts'
import { createEngine } from '../evm/createEngine.ts'
import { createCallExecutor } from '../rpc/calls/executor.ts'
import { createInlineRunner } from '../rpc/calls/inlineRunner.ts'
import type { WorkerPoolLoad } from '../rpc/calls/workerPool.ts'
import { createWorkerRunner } from '../rpc/calls/workerRunner.ts'
import { clientVersion } from '../rpc/clientVersion.ts'
import type { DevelopmentNode } from '../rpc/development/method.ts'
import { DEVELOPMENT_METHODS, DEVELOPMENT_NAMESPACES } from '../rpc/development/table.ts'
import { createExecutions } from '../rpc/executions/executor.ts'
import { createExecutionRunner } from '../rpc/executions/workerRunner.ts'
import { createFeeOracle } from '../rpc/fees.ts'
import type { Node as NodeWorld } from '../rpc/node.ts'
import { METHODS } from '../rpc/table.ts'
import { openKv } from '../store/kv.ts'
import { migrateSchema } from '../store/schema.ts'
import type { MethodTable } from '../wire/dispatch.ts'
import { isLocalOnly, startJsonRpc } from '../wire/server.ts'
import { loadTokenSecret } from '../wire/tokenSecret.ts'
import { checkRecent } from './check.ts'
import { startBehindCometbft } from './cometbft.ts'
import type { NodeConsensus } from './consensus.ts'
import { requireDevelopment, withAutomining, withImpersonation } from './development.ts'
import { startEmbedded } from './embedded.ts'
import {
  callObserver,
  countBlocks,
  NODE_METRICS,
  readOnScrape,
  type NodeMetrics,
  type NodeSources,
} from './metrics.ts'
import { pruningOf } from './pruning.ts'
import { createNodeSettings } from './settings.ts'

export type NodeOptions = {
  readonly home: Home
  readonly config: NodeConfig
  readonly log: Log
  readonly signal: AbortSignal
  /** Whether the last run of this home was killed: then the last blocks are checked. */
  readonly isAfterCrash?: boolean
  /** Ends the process when going on is unsafe (D54). */
  readonly fatal: (error: unknown) => never
}

export type RunningNode = {
  /** As URLs. */
  readonly addresses: Readonly<Record<'rpc' | 'ws' | 'comet', string>> & {
    readonly metrics?: string
  }
  close(): Promise<void>
}

/** Opens a home's chain and starts everything that serves it. Resolves once a block of this run is committed (D44). */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { home, config, log, fatal } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const closers: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    stopping.abort()
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    const genesis = loadGenesis(home.genesis)
    const { rules, chainName } = parseGenesis(genesis.genesis.chainId, genesis.genesis.appState)
    const isDevelopment = config['dev.enable']
    if (isDevelopment) requireDevelopment(config, rules, genesis.genesis.validators)
    // CometBFT keeps its blocks by itself, and plays them again to an application that lost its store.
    if (config['consensus.engine'] === 'embedded')
      requireStore(home.validatorState, fs.existsSync(home.chainStore))
    const kv = openKv(home.chainStore, { onCommitFailure: fatal, writerThread: true })
    closers.push(() => kv.close())
    migrateSchema(kv)
    const store = openChainStore(kv, {
      chainId: rules.chainId,
      sha256,
      pruning: pruningOf(config),
      proofWindow: config['state.archive'] ? undefined : config['state.proof-window'],
      isReversible: isDevelopment,
    })
    if (options.isAfterCrash === true && !store.isEmpty())
      checkRecent(
        {
          chainId: genesis.genesis.chainId,
          reader: store.reader,
          blocks: openBlockStore(kv),
          addresses: openAddressIndex(kv),
          tables: openChainTables(kv),
        },
        home.folder,
      )

    const bus = createEventBus()
    // Where nobody can read them, they cost nothing.
    const metrics = config['metrics.address'] && createMetrics(NODE_METRICS)
    if (metrics) countBlocks(metrics, bus, store.reader)
    const pools = new Map<string, () => WorkerPoolLoad>()
    const isNetworked = config['consensus.engine'] === 'cometbft'
    const startEngine = isNetworked ? startBehindCometbft : startEmbedded
    const consensus = await startEngine({
      ...options,
      signal,
      genesis,
      kv,
      store,
      bus,
      isDevelopment,
      // A seed that nobody can guess: contracts cannot aim at the engine's hash tables.
      evm: createEngine('osaka', { seed: randomBytes(8).readBigUInt64LE() }),
      recoverSender: createSenderRecovery({
        signal,
        ...(metrics && { onBatch: batchCounter(metrics) }),
        onFault: (reason) => log.error({ reason }, 'a thread that recovers senders ended'),
      }),
      limits: {
        minGasPrice: config['minimum-gas-prices'],
        senderLimit: config['mempool.sender-limit'],
        queueLimit: config['mempool.queue-limit'],
        size: config['mempool.size'],
      },
      snapshots: {
        folder: home.snapshots,
        store: home.chainStore,
        interval: config['state-sync.snapshot-interval'],
        keep: config['state-sync.keep'],
        onTaken: (height, size) => log.info({ height, ...size }, 'snapshot taken'),
        onFault: (reason) => log.error({ reason }, 'state sync failed'),
      },
    })
    closers.push(() => consensus.close())

    const world = await createWorld(options, {
      store,
      rules,
      chainName,
      consensus,
      bus,
      pools,
      signal,
    })
    closers.push(() => world.accounts.close())
    const jsonRpc = await startJsonRpc({
      ...tableOf(world, consensus),
      address: config['json-rpc.address'],
      wsAddress: config['json-rpc.ws-address'],
      ipcPath: home.ipc,
      namespaces: [...config['json-rpc.api'], ...(isDevelopment ? DEVELOPMENT_NAMESPACES : [])],
      blockProfile: config['json-rpc.block-profile'],
      secret: loadTokenSecret(home.jwtSecret),
      privateAccess: config['json-rpc.private'],
      privateRemote: config['json-rpc.private-remote'],
      hosts: config['json-rpc.hosts'],
      corsOrigins: config['json-rpc.cors-origins'],
      wsOrigins: config['json-rpc.ws-origins'],
      batchLimit: config['json-rpc.batch-limit'],
      bodyLimit: config['json-rpc.body-limit'],
      maxConnections: config['json-rpc.max-connections'],
      limits: {
        batchResponse: config['json-rpc.batch-response-limit'],
        webSocketMessage: config['json-rpc.ws-message-limit'],
        sendBuffer: config['json-rpc.ws-send-buffer'],
        pingInterval: config['json-rpc.ws-ping-interval'],
        headersTimeout: config['json-rpc.headers-timeout'],
        requestTimeout: config['json-rpc.request-timeout'],
        keepAlive: config['json-rpc.keep-alive'],
      },
      log,
      ...(metrics && { observe: callObserver(metrics) }),
      signal,
    })
    closers.push(() => jsonRpc.close())
    const { webSocketClients } = jsonRpc
    const measured =
      metrics && config['metrics.address']
        ? await serveMetrics(metrics, config['metrics.address'], log, {
            kv,
            store,
            folder: home.chainStore,
            world,
            pools,
            webSocketClients,
          })
        : undefined
    if (measured) closers.push(() => measured.close())
    return {
      addresses: {
        ...(measured && { metrics: `http://${formatAddress(measured.address)}` }),
        rpc: `http://${formatAddress(jsonRpc.httpAddress)}`,
        ws: `ws://${formatAddress(jsonRpc.wsAddress)}`,
        comet: consensus.cometUrl,
      },
      close,
    }
  } catch (error) {
    await close().catch((failure: unknown) =>
      log.error({ reason: messageOf(failure) }, 'stop failed'),
    )
    throw error
  }
}

function batchCounter(metrics: NodeMetrics) {
  return (size: number, where: 'thread' | 'here'): void => {
    metrics.add('assay_sender_batches_total', { where })
    metrics.add('assay_sender_recoveries_total', { where }, size)
  }
}

async function serveMetrics(
  metrics: NodeMetrics,
  address: ListenAddress,
  log: Log,
  sources: NodeSources,
): Promise<MetricsServer> {
  readOnScrape(metrics, sources)
  const { scrape } = metrics
  return await startMetricsServer({ address, flag: '--metrics.address host:port', scrape, log })
}

/** All methods and what they see: on a chain for development more, over accounts and a pool of their own (D56). */
function tableOf(world: NodeWorld, { development }: Pick<NodeConsensus, 'development'>) {
  if (development === undefined) return { table: METHODS, world }
  development.onRollBack(world.filters.rewind)
  const accounts = withImpersonation(world.accounts, development)
  const pool = withAutomining(world.pool, development)
  const table: MethodTable<DevelopmentNode> = { ...METHODS, ...DEVELOPMENT_METHODS }
  const network = {
    ...world.network,
    // Hardhat's helpers ask for this name before they do anything.
    clientVersion: `HardhatNetwork-compatible ${world.network.clientVersion}`,
    namespaces: [...world.network.namespaces, ...DEVELOPMENT_NAMESPACES],
  }
  return { table, world: { ...world, network, accounts, pool, development } }
}

type Parts = {
  readonly store: ReturnType<typeof openChainStore>
  readonly rules: NodeWorld['rules']
  readonly chainName: string
  readonly consensus: NodeConsensus
  readonly bus: EventBus
  /** Takes what reads the load of the worker threads. */
  readonly pools: Map<string, () => WorkerPoolLoad>
  readonly signal: AbortSignal
}

/** What the JSON-RPC methods see. */
async function createWorld(
  { home, config, log }: NodeOptions,
  { store, rules, chainName, consensus, bus, pools, signal }: Parts,
) {
  const { pool, consensusAddress } = consensus
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
  const workers = createWorkerRunner({
    folder: home.chainStore,
    rules,
    gasCap,
    workers: config['json-rpc.call-workers'],
    timeoutMs: config['json-rpc.evm-timeout'],
    signal,
    exposeLoad: (read) => pools.set('calls', read),
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
    createExecutionRunner({
      folder: home.chainStore,
      rules,
      gasCap: BigInt(config['json-rpc.gas-cap']),
      timeoutMs: config['json-rpc.evm-timeout'],
      workers: config['json-rpc.call-workers'],
      signal,
      exposeLoad: (read) => pools.set('traces', read),
      onFault: (reason) => log.error({ reason }, 'an execution worker failed'),
    }),
    (reason) => log.error({ reason }, 'an execution failed'),
  )
  const fees = createFeeOracle(chain, rules, { minGasPrice: config['minimum-gas-prices'] })
  const sends = createKeyedQueue()
  const world = {
    chain,
    rules,
    pool,
    accounts,
    wallets: createWallets(home.keystore, { cost: scryptCost }),
    settings: createNodeSettings(
      home,
      { chain, pool, fees, sends, bus },
      { consensusAddress, denomination: `a${chainName}`, log },
    ),
    calls,
    executions,
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
    sends,
    coinbase: () => rewardAddress(store.latest(), consensusAddress),
    syncing: consensus.syncing,
  } satisfies NodeWorld
  return world
}
