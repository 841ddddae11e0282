/** The chain node: builds its parts, wires them, and stops them in reverse order. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { formatAddress, type ListenAddress } from '../base/listen.ts'
import { createMetrics } from '../base/metrics.ts'
import { startMetricsServer, type MetricsServer } from '../base/metricsServer.ts'
import { countSpans } from '../base/processMetrics.ts'
import { openTracer } from '../base/tracing/settings.ts'
import type { Log } from '../base/log.ts'
import { sha256 } from '../base/sha256.ts'
import { openAddressIndex } from '../ledger/events/addressIndex.ts'
import { parseGenesis } from '../chain/genesis.ts'
import { openChainStore } from '../ledger/store.ts'
import { openChainTables } from '../ledger/tables.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import { openBlockStore } from '../consensus/embedded/blockStore.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { createSenderRecovery } from '../consensus/senders/recovery.ts'
import { requireStore } from '../consensus/files/signState.ts'
import { maxTxBytes } from '../consensus/embedded/proposal.ts'
import { createEventBus } from '../events/bus.ts'
import { createEngine } from '../evm/createEngine.ts'
import type { WorkerPoolLoad } from '../rpc/workers/workerPool.ts'
import { DEVELOPMENT_NAMESPACES } from '../rpc/methods/development/table.ts'
import { openKv } from '../store/kv.ts'
import { migrateSchema } from '../store/schema.ts'
import { upgradeStore } from '../store/upgrade.ts'
import { watchStoreFile } from '../store/watchFile.ts'
import { startJsonRpc } from '../wire/server.ts'
import { loadTokenSecret } from '../wire/tokenSecret.ts'
import { checkRecent } from './check.ts'
import { startBehindCometbft } from './cometbft.ts'
import { observeDecided } from './decidedMetrics.ts'
import { requireDevelopment } from './development.ts'
import { startEmbedded } from './embedded.ts'
import { createHealth } from './health.ts'
import {
  callObserver,
  countBlocks,
  NODE_METRICS,
  readOnScrape,
  type NodeMetrics,
  type NodeSources,
} from './metrics.ts'
import { openNodeJournal } from './poolJournal.ts'
import { pruningOf, snapshotIntervalOf } from './pruning.ts'
import { NO_SCRUB, startScrub } from './scrub.ts'
import { bothObservers, traceBlocks, traceCalls } from './tracing.ts'
import { createWorld, tableOf } from './world.ts'

export type NodeOptions = {
  readonly home: Home
  readonly config: NodeConfig
  readonly log: Log
  readonly signal: AbortSignal
  /** Whether the last run of this home was killed: then the last blocks are checked. */
  readonly isAfterCrash?: boolean
  /** Whether a lock of the kernel keeps other nodes from this home (D67); true by default. */
  readonly isLocked?: boolean
  /** Ends the process when it is unsafe to continue (D54). */
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
    // CometBFT keeps blocks itself, and replays them to an application that lost its store.
    if (config['consensus.engine'] === 'embedded')
      requireStore(home.validatorState, fs.existsSync(home.chainStore))
    await upgradeStore(home.chainStore, { signal, onProgress: reportUpgrade(log) })
    // If nothing can read them, they cost nothing.
    const metrics = config['metrics.address'] && createMetrics(NODE_METRICS)
    const observer = metrics && observeDecided(metrics)
    const tracing = { endpoint: config['otel.endpoint'], ratio: config['otel.sampling'] }
    const tracer = openTracer('node', tracing, process.env, log)
    if (tracer) closers.push(() => tracer.close())
    if (tracer && metrics) countSpans(metrics, tracer.counts)
    const commitTimers: ((seconds: number, syncSeconds: number) => void)[] = []
    if (metrics) commitTimers.push(commitTimer(metrics))
    const kv = openKv(home.chainStore, {
      onCommitFailure: fatal,
      // Nothing may be signed or served from a damaged store.
      onCorruption: fatal,
      writerThread: true,
      onCommit(...seconds) {
        for (const timer of commitTimers) timer(...seconds)
      },
    })
    closers.push(() => kv.close())
    closers.push(watchStoreFile(home.chainStore, fatal))
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
    if (metrics) countBlocks(metrics, bus, store.reader)
    if (tracer) commitTimers.push(traceBlocks(tracer, bus, store.reader).onCommit)
    const observe = bothObservers(metrics && callObserver(metrics), tracer && traceCalls(tracer))
    const pools = new Map<string, () => WorkerPoolLoad>()
    const poolJournal = openNodeJournal({
      ...options,
      onGroup: metrics ? metrics.timer('assay_pool_journal_group_seconds', {}) : undefined,
    })
    closers.push(() => poolJournal.close())
    const isNetworked = config['consensus.engine'] === 'cometbft'
    const startEngine = isNetworked ? startBehindCometbft : startEmbedded
    const consensus = await startEngine({
      ...options,
      isLocked: options.isLocked ?? true,
      signal,
      genesis,
      kv,
      store,
      bus,
      restorePool: poolJournal.restore,
      ...(poolJournal.journal && { journal: poolJournal.journal }),
      isDevelopment,
      ...(observer && { onDecided: observer.onDecided }),
      // An unpredictable seed, so that contracts cannot attack the engine's hash tables.
      evm: createEngine({ seed: randomBytes(8).readBigUInt64LE() }),
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
        interval: snapshotIntervalOf(config),
        keep: config['state-sync.keep'],
        onTaken: (height, size) => log.info({ height, ...size }, 'snapshot taken'),
        onFault: (reason) => log.error({ reason }, 'state sync failed'),
      },
    })
    closers.push(() => consensus.close())
    observer?.setOwn(consensus.consensusAddress)

    const scrubber = startScrub({
      ...options,
      chainId: rules.chainId,
      chainName: genesis.genesis.chainId,
      store,
      bus,
    })
    if (scrubber !== undefined) closers.push(() => scrubber.close())

    const world = createWorld(options, {
      store,
      rules,
      chainName,
      consensus,
      maxTxBytes: maxTxBytes(genesis.genesis),
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
      health: createHealth({
        world,
        bus,
        maxLag: isDevelopment ? undefined : config['json-rpc.ready-lag'],
        clock: systemClock,
        isSignerConnected: consensus.isSignerConnected,
      }),
      log,
      ...(observe && { observe }),
      signal,
    })
    closers.push(() => jsonRpc.close())
    const { webSocketClients } = jsonRpc
    const measured =
      metrics && config['metrics.address']
        ? await serveMetrics(metrics, config['metrics.address'], log, {
            kv,
            store,
            home,
            world,
            pools,
            webSocketClients,
            scrub: () => scrubber?.statistics() ?? NO_SCRUB,
            journalSize: poolJournal.size,
            isSignerConnected: consensus.isSignerConnected,
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

/** Logs every tenth of an upgrade of the store. */
function reportUpgrade(log: Log): (done: number) => void {
  let logged = -1
  return (done) => {
    const tenths = Math.floor(done * 10)
    if (tenths === logged) return
    logged = tenths
    log.info({ percent: tenths * 10 }, 'giving the records of the store their checksums')
  }
}

function commitTimer(metrics: NodeMetrics): (seconds: number, syncSeconds: number) => void {
  const commit = metrics.timer('assay_block_commit_seconds', {})
  const sync = metrics.timer('assay_store_sync_seconds', {})
  return (seconds, syncSeconds) => {
    commit(seconds)
    sync(syncSeconds)
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
