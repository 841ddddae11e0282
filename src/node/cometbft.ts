/** The engine `cometbft` in the node: a CometBFT that it runs itself, or one that it is attached to. */
import { systemClock } from '../base/clock.ts'
import { UserError } from '../base/errors.ts'
import { isLoopback } from '../base/hosts.ts'
import { formatAddress, freePort, type ListenAddress } from '../base/listen.ts'
import type { NodeConfig } from '../config/node.ts'
import { completeCometbftHome, requireCometbft } from '../consensus/cometbft/binary.ts'
import { openCometbftEngine } from '../consensus/cometbft/engine.ts'
import { cometbftEnvironment, type CometbftSettings } from '../consensus/cometbft/environment.ts'
import { startCometbftProcess } from '../consensus/cometbft/process.ts'
import { openBlockStore } from '../consensus/embedded/blockStore.ts'
import { openEvm } from '../consensus/evm/open.ts'
import { publishHeight } from '../events/bus.ts'
import type { NodeConsensus, NodeConsensusOptions } from './consensus.ts'

const tcpUrl = (address: ListenAddress) => `tcp://${formatAddress(address)}`

/** Where the RPC of a CometBFT of our own will be; it cannot tell a port that it chose. */
async function ownRpcAddress({ host, port }: ListenAddress): Promise<ListenAddress> {
  return { host, port: port === 0 ? await freePort() : port }
}

function stateSyncOf(config: NodeConfig): CometbftSettings['stateSync'] {
  const rpcServers = config['state-sync.rpc-servers']
  const trustHash = config['state-sync.trust-hash']
  if (rpcServers.length === 0) return undefined
  if (rpcServers.length < 2 || !/^[0-9A-Fa-f]{64}$/.test(trustHash))
    throw new UserError(
      'state sync needs two servers and the hash of a header',
      'Set state-sync.rpc-servers, state-sync.trust-height and state-sync.trust-hash.',
    )
  return { rpcServers, trustHash, trustHeight: config['state-sync.trust-height'] }
}

/** Gives what starts CometBFT, once the application listens. */
function launcher(options: NodeConsensusOptions, rpc: ListenAddress) {
  const { home, config, log, fatal } = options
  const p2p = config['p2p.laddr']
  return async (abciUrl: string) => {
    const running = await startCometbftProcess({
      binary: config.cometbft,
      folder: home.folder,
      pidFile: home.cometbftPid,
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
        corsOrigins: config['json-rpc.cors-origins'],
        stateSync: stateSyncOf(config),
      }),
      log: log.child({ process: 'cometbft' }),
      onGivenUp: fatal,
    })
    return running.stop
  }
}

/** Starts it. Resolves once CometBFT answers and a block is on disk (D44). Throws UserError. */
export async function startBehindCometbft(options: NodeConsensusOptions): Promise<NodeConsensus> {
  const { home, config, bus, log, kv, store, fatal, signal } = options
  const { genesis } = options.genesis
  if (openBlockStore(kv).state() !== undefined)
    throw new UserError(
      'this home holds a chain of the embedded engine, which has no network',
      'Make a new home for the network; assay node export gives it the state of this one.',
    )
  const attached = config['consensus.comet-rpc']
  if (attached === undefined) {
    const version = await requireCometbft(config.cometbft)
    log.info({ version, binary: config.cometbft }, 'found CometBFT')
    await completeCometbftHome(config.cometbft, home.folder)
  }
  const rpc = attached ?? (await ownRpcAddress(config['rpc.laddr']))
  const evm = openEvm(options, systemClock)
  const engine = await openCometbftEngine({
    ...evm,
    kv,
    chainId: genesis.chainId,
    appState: genesis.appState,
    abciAddress: config['consensus.abci-address'] ?? { path: home.abciSocket },
    rpcUrl: `http://${formatAddress(rpc)}`,
    launch: attached === undefined ? launcher(options, rpc) : undefined,
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
  // A network that stands still keeps a node from ever being ready, but not from stopping.
  signal.addEventListener('abort', () => void stop(), { once: true })
  try {
    const consensusAddress = await engine.ready
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
      close: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
