/** The embedded engine in the node, with the consensus RPC that belongs to it. */
import { formatAddress } from '../base/listen.ts'
import { createDevelopment } from '../consensus/development/development.ts'
import { createMovableClock } from '../consensus/development/time.ts'
import { openConsensus } from '../consensus/open.ts'
import { openRemoteSigner, type RemoteSigner } from '../consensus/privval/remoteSigner.ts'
import { publishBlock } from '../events/bus.ts'
import { forgetBlocks } from '../consensusRpc/recentBlocks.ts'
import { startCometRpc } from '../consensusRpc/server.ts'
import { openClock } from './clock.ts'
import type { NodeConsensus, NodeConsensusOptions } from './consensus.ts'

/** Waits for the signer that the configuration names; undefined where the home's key signs. */
async function openSigner(options: NodeConsensusOptions): Promise<RemoteSigner | undefined> {
  const { config, genesis, log, signal } = options
  const address = config['priv-validator-laddr']
  if (address === undefined) return undefined
  return await openRemoteSigner({ address, chainId: genesis.genesis.chainId, log, signal })
}

/** Starts it. Resolves once a block of this run is committed (D44). Throws UserError. */
export async function startEmbedded(options: NodeConsensusOptions): Promise<NodeConsensus> {
  const { home, config, bus, log, signal, isDevelopment = false } = options
  const time = createMovableClock()
  const remoteSigner = await openSigner(options)
  const consensus = openConsensus({
    ...options,
    files: home,
    remoteSigner,
    ...(isDevelopment
      ? { production: 'manual', clock: time.clock }
      : {
          // On a development chain time is moved on purpose.
          clock: openClock(options).clock,
          production: {
            gatherWindow: config['consensus.gather-window'],
            blockInterval: config['consensus.block-interval'],
          },
        }),
    node: {
      moniker: config.moniker,
      listenAddress: 'embedded',
      rpcAddress: `tcp://${formatAddress(config['rpc.laddr'])}`,
    },
    publish: (block) =>
      publishBlock(bus, block, (error) => log.error({ err: error }, 'a listener to blocks failed')),
  })
  const { engine, pool, stateSync } = consensus
  const development = isDevelopment
    ? createDevelopment({ consensus, chain: options.store.reader, time })
    : undefined
  development?.onRollBack(() => forgetBlocks(engine.reader))
  try {
    if (isDevelopment) await engine.produceBlock()
    await engine.ready
    await options.restorePool(pool)
    const comet = await startCometRpc({
      address: config['rpc.laddr'],
      world: { ...consensus, reader: engine.reader, bus },
      log,
      signal,
      limits: { hosts: config['json-rpc.hosts'], origins: config['json-rpc.cors-origins'] },
      unsafe: config['rpc.unsafe'],
    })
    return {
      pool,
      consensusAddress: engine.reader.validator.address,
      cometUrl: `http://${formatAddress(comet.address)}`,
      peers: () => [],
      syncing: () => undefined,
      isSignerConnected: () => remoteSigner?.isConnected(),
      development,
      async close() {
        development?.stop()
        await comet.close()
        await engine.stop()
        await remoteSigner?.close()
        await stateSync?.close()
      },
    }
  } catch (error) {
    await engine.stop()
    await remoteSigner?.close()
    await stateSync?.close()
    throw error
  }
}
