/** The engine `cometbft` in the node: its own CometBFT process, or an external one that it is attached to (D20a). */
import { systemClock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import { isLoopback } from '../base/hosts.ts'
import { freePort } from '../base/freePorts.ts'
import { formatAddress, type ListenAddress } from '../base/listen.ts'
import type { NodeConfig } from '../config/node.ts'
import {
  completeCometbftHome,
  hasAppMempool,
  requireCometbft,
} from '../consensus/cometbft/binary.ts'
import { openCometbftEngine } from '../consensus/cometbft/engine.ts'
import { cometbftEnvironment, type CometbftSettings } from '../consensus/cometbft/environment.ts'
import { startCometbftProcess } from '../consensus/cometbft/process.ts'
import { openBlockStore } from '../consensus/embedded/blockStore.ts'
import { openEvm } from '../consensus/evm/open.ts'
import type { SignerAddress } from '../consensus/privval/signerListener.ts'
import { publishHeight } from '../events/bus.ts'
import { openClock } from './clock.ts'
import type { NodeConsensus, NodeConsensusOptions } from './consensus.ts'

const tcpUrl = (address: ListenAddress) => `tcp://${formatAddress(address)}`

/** RPC address of our own CometBFT process; it cannot report a port that it chose itself. */
async function ownRpcAddress({ host, port }: ListenAddress): Promise<ListenAddress> {
  return { host, port: port === 0 ? await freePort() : port }
}

function stateSyncOf(config: NodeConfig): CometbftSettings['stateSync'] {
  const rpcServers = config['state-sync.rpc-servers']
  const trustHash = config['state-sync.trust-hash']
  if (rpcServers.length === 0) return undefined
  if (rpcServers.length < 2 || !/^[0-9A-Fa-f]{64}$/.test(trustHash))
    throw new UserError(
      'state sync requires two servers and the hash of a trusted header',
      'Set state-sync.rpc-servers, state-sync.trust-height and state-sync.trust-hash.',
    )
  return { rpcServers, trustHash, trustHeight: config['state-sync.trust-height'] }
}

/** Where a remote signer connects, for CometBFT. */
const signerUrl = (address: SignerAddress) =>
  'path' in address ? `unix://${address.path}` : tcpUrl(address)

/** Whether CometBFT indexes transactions; undefined for what its config.toml says. */
function isIndexed(config: NodeConfig): boolean | undefined {
  const { 'consensus.tx-index': index } = config
  return index === 'auto' ? undefined : index === 'on'
}

/** Whether this node serves the explorer, which searches that index. */
function servesExplorer(config: NodeConfig): boolean {
  return config['explorer.enable'] && config['explorer.address'] !== undefined
}

/** Returns the function that starts CometBFT, to be called once the application listens. */
function launcher(options: NodeConsensusOptions, rpc: ListenAddress, version: string) {
  const { home, config, log, fatal } = options
  const { 'p2p.laddr': p2p, 'priv-validator-laddr': signer } = config
  return async (abciUrl: string) => {
    const running = await startCometbftProcess({
      binary: config.cometbft,
      folder: home.folder,
      pidFile: home.cometbftPid,
      socket: signer !== undefined && 'path' in signer ? signer.path : undefined,
      lockFile: options.isLocked ? home.cometbftLock : undefined,
      addresses: [
        { address: rpc, flag: '--rpc.laddr tcp://host:port' },
        { address: p2p, flag: '--p2p.laddr tcp://host:port' },
        ...(signer !== undefined && 'port' in signer
          ? [{ address: signer, flag: '--priv-validator-laddr tcp://host:port' }]
          : []),
      ],
      environment: cometbftEnvironment({
        abciUrl,
        moniker: config.moniker,
        rpcAddress: tcpUrl(rpc),
        p2pAddress: tcpUrl(p2p),
        persistentPeers: config['p2p.persistent-peers'].join(','),
        blockInterval: config['consensus.block-interval'],
        poolSize: config['mempool.size'],
        isVerbose: ['trace', 'debug'].includes(config['log.level']),
        isLoopback: isLoopback(p2p.host),
        isUnsafe: config['rpc.unsafe'],
        isAppMempool: hasAppMempool(version),
        isIndexed: isIndexed(config),
        signerUrl: signer && signerUrl(signer),
        corsOrigins: config['json-rpc.cors-origins'],
        stateSync: stateSyncOf(config),
      }),
      log: log.child({ process: 'cometbft' }),
      onGivenUp: fatal,
    })
    return running.stop
  }
}

/** Starts it. Resolves once CometBFT responds and a block is on disk (D44). Throws UserError. */
export async function startBehindCometbft(options: NodeConsensusOptions): Promise<NodeConsensus> {
  const { home, config, bus, log, kv, store, fatal, signal } = options
  const { genesis } = options.genesis
  if (openBlockStore(kv).state() !== undefined)
    throw new UserError(
      'this home folder contains a chain of the embedded engine, which has no network',
      'Create a new home folder for the network; assay node export carries over the state of this one.',
    )
  const attached = config['consensus.comet-rpc']
  if (attached !== undefined && config['priv-validator-laddr'] !== undefined)
    throw new UserError(
      'priv-validator-laddr is for a CometBFT that this node runs itself',
      'Set priv_validator_laddr in the config.toml of the CometBFT at consensus.comet-rpc instead.',
    )
  let version = ''
  if (attached === undefined) {
    version = await requireCometbft(config.cometbft)
    log.info({ version, binary: config.cometbft }, 'found CometBFT')
    await completeCometbftHome(
      config.cometbft,
      home.folder,
      isIndexed(config) ?? servesExplorer(config),
    )
  }
  const rpc = attached ?? (await ownRpcAddress(config['rpc.laddr']))
  const { clock, isTimely } = openClock(options)
  const evm = openEvm({ ...options, isTimely }, clock)
  const engine = await openCometbftEngine({
    ...evm,
    kv,
    chainId: genesis.chainId,
    appState: genesis.appState,
    abciAddress: config['consensus.abci-address'] ?? { path: home.abciSocket },
    rpcUrl: `http://${formatAddress(rpc)}`,
    launch: attached === undefined ? launcher(options, rpc, version) : undefined,
    isAppMempool: hasAppMempool(version),
    poolSize: config['mempool.size'],
    publish: (height) =>
      publishHeight(bus, height, (error) =>
        log.error({ err: error }, 'a listener to blocks failed'),
      ),
    log,
    clock: systemClock,
    fatal,
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= engine.stop().then(() => evm.stateSync?.close()))
  // If the network is stalled, a node never becomes ready, but it can still be stopped.
  signal.addEventListener('abort', () => void stop(), { once: true })
  try {
    const consensusAddress = await engine.ready
    await options.restorePool(engine.pool)
    const startingBlock = store.reader.latestHeight()
    return {
      pool: engine.pool,
      consensusAddress,
      cometUrl: `http://${formatAddress(rpc)}`,
      peers: engine.monitor.peers,
      syncing() {
        const { status, highestBlock } = engine.monitor
        if (status()?.isCatchingUp !== true) return undefined
        const currentBlock = store.reader.latestHeight()
        return { startingBlock, currentBlock, highestBlock: Math.max(currentBlock, highestBlock()) }
      },
      isSignerConnected: () => undefined,
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
