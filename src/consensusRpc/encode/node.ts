/** The node's description of itself. */
import { BLOCK_PROTOCOL } from '../../consensus/embedded/proposal.ts'
import type { ConsensusReader } from '../../consensus/engine.ts'
import { decimal } from './primitive.ts'

/** Clients choose their protocol version by it (D22). */
const COMETBFT_VERSION = '0.38.25'
const P2P_PROTOCOL = 8
/** The channels of a CometBFT node, as hex. */
const CHANNELS = '40202122233038606100'

/** `node_info` of status: a CometBFT node without peers. */
export function encodeNodeInfo({
  chainId,
  node,
}: Pick<ConsensusReader, 'chainId' | 'node'>): object {
  return {
    protocol_version: {
      p2p: decimal(P2P_PROTOCOL),
      block: decimal(BLOCK_PROTOCOL),
      app: decimal(node.appVersion),
    },
    id: node.id,
    listen_addr: node.listenAddress,
    network: chainId,
    version: COMETBFT_VERSION,
    channels: CHANNELS,
    moniker: node.moniker,
    other: { tx_index: 'on', rpc_address: node.rpcAddress },
  }
}
