/**
 * What this node decides for its CometBFT, as environment variables (D20a): they override `config/config.toml`, which
 * CometBFT creates at its first start and which remains the operator's for everything else.
 */
import { MAX_OWN_BATCH } from './rpc.ts'

export type CometbftSettings = {
  /** `proxy_app`: where the application listens. */
  readonly abciUrl: string
  readonly moniker: string
  /** "tcp://host:port". */
  readonly rpcAddress: string
  readonly p2pAddress: string
  /** "<node id>@host:port", separated by commas. */
  readonly persistentPeers: string
  /** Milliseconds between blocks. */
  readonly blockInterval: number
  /** Whether the application's pool is CometBFT's (D99). */
  readonly isAppMempool: boolean
  /** Maximum number of transactions in the application's pool: CometBFT's own pool holds the same ones. */
  readonly poolSize: number
  /** Whether CometBFT logs more than errors. */
  readonly isVerbose: boolean
  /** Whether all peers are on this machine. */
  readonly isLoopback: boolean
  readonly isUnsafe: boolean
  /** Where a remote signer connects, as a URL; undefined for what config.toml says. */
  readonly signerUrl: string | undefined
  /** Whether CometBFT indexes transactions; undefined for what config.toml says. */
  readonly isIndexed: boolean | undefined
  readonly corsOrigins: readonly string[]
  /** State sync for a node without blocks; undefined to execute every block. */
  readonly stateSync:
    | {
        /** RPCs of two nodes, as host:port. */
        readonly rpcServers: readonly string[]
        readonly trustHeight: number
        readonly trustHash: string
      }
    | undefined
}

/** The variables, which take precedence over CometBFT's own file. */
export function cometbftEnvironment(settings: CometbftSettings): Readonly<Record<string, string>> {
  return {
    CMT_PROXY_APP: settings.abciUrl,
    CMT_ABCI: 'socket',
    CMT_MONIKER: settings.moniker,
    CMT_LOG_FORMAT: 'json',
    CMT_LOG_LEVEL: settings.isVerbose ? 'info' : 'error',
    ...(settings.signerUrl !== undefined && { CMT_PRIV_VALIDATOR_LADDR: settings.signerUrl }),
    CMT_RPC_LADDR: settings.rpcAddress,
    CMT_RPC_MAX_REQUEST_BATCH_SIZE: String(MAX_OWN_BATCH),
    CMT_RPC_UNSAFE: String(settings.isUnsafe),
    CMT_RPC_CORS_ALLOWED_ORIGINS: settings.corsOrigins.join(','),
    ...(settings.isIndexed !== undefined && {
      CMT_TX_INDEX_INDEXER: settings.isIndexed ? 'kv' : 'null',
    }),
    CMT_P2P_LADDR: settings.p2pAddress,
    CMT_P2P_PERSISTENT_PEERS: settings.persistentPeers,
    // Several nodes on one machine differ only in their ports.
    ...(settings.isLoopback && {
      CMT_P2P_ADDR_BOOK_STRICT: 'false',
      CMT_P2P_ALLOW_DUPLICATE_IP: 'true',
    }),
    CMT_STATESYNC_ENABLE: String(settings.stateSync !== undefined),
    ...(settings.stateSync && {
      CMT_STATESYNC_RPC_SERVERS: settings.stateSync.rpcServers.join(','),
      CMT_STATESYNC_TRUST_HEIGHT: String(settings.stateSync.trustHeight),
      CMT_STATESYNC_TRUST_HASH: settings.stateSync.trustHash,
    }),
    CMT_CONSENSUS_TIMEOUT_COMMIT: `${settings.blockInterval}ms`,
    ...(settings.isAppMempool && {
      CMT_MEMPOOL_TYPE: 'app',
      // How often the application is asked what to gossip: half a second by default.
      CMT_MEMPOOL_REAP_INTERVAL: '50ms',
    }),
    CMT_MEMPOOL_SIZE: String(settings.poolSize),
    CMT_MEMPOOL_CACHE_SIZE: String(2 * settings.poolSize),
  }
}
