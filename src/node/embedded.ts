/** The embedded engine in the node, with the consensus RPC that belongs to it. */
import { formatAddress } from '../base/listen.ts'
import { openConsensus } from '../consensus/open.ts'
import { publishBlock } from '../events/bus.ts'
import { startCometRpc } from '../rpc/comet/server.ts'
import type { NodeConsensus, NodeConsensusOptions } from './consensus.ts'

/** Starts it. Resolves once a block of this run is committed (D44). Throws UserError. */
export async function startEmbedded(options: NodeConsensusOptions): Promise<NodeConsensus> {
  const { home, config, bus, log, signal } = options
  const consensus = openConsensus({
    ...options,
    files: home,
    production: {
      gatherWindow: config['consensus.gather-window'],
      blockInterval: config['consensus.block-interval'],
    },
    node: {
      moniker: config.moniker,
      listenAddress: 'embedded',
      rpcAddress: `tcp://${formatAddress(config['rpc.laddr'])}`,
    },
    publish: (block) =>
      publishBlock(bus, block, (error) => log.error({ err: error }, 'a listener to blocks failed')),
  })
  const { engine, pool, stateSync } = consensus
  try {
    await engine.ready
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
      peerCount: () => 0,
      syncing: () => undefined,
      async close() {
        await comet.close()
        await engine.stop()
        await stateSync?.close()
      },
    }
  } catch (error) {
    await engine.stop()
    await stateSync?.close()
    throw error
  }
}
