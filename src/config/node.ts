/** Every configuration key of the chain node. */
import { LOG_LEVELS } from '../base/log.ts'
import { key, type ConfigOf } from './key.ts'
import {
  duration,
  flag,
  gasPrice,
  integer,
  listenAddress,
  optionalListenAddress,
  oneOf,
  orNothing,
  socketAddress,
  tcpAddress,
  text,
  texts,
  wholeUnits,
} from './types.ts'
import { optionalWebUrl } from './url.ts'

/** The keys by name. */
export const nodeKeys = {
  moniker: key(text, 'assay', 'Name of this node, shown by the consensus RPC (status).'),
  'minimum-gas-prices': key(
    gasPrice,
    '0aassay',
    'Lowest gas price that this node takes into its pool and proposals. The flag wins over miner_setGasPrice.',
  ),
  pruning: key(
    oneOf('nothing', 'everything', 'custom'),
    'nothing',
    'Old heights that leave the store: none, all but the last (128 states, 256 blocks), or all but the next two keys.',
  ),
  'pruning-keep-recent': key(
    integer(1, 1_000_000_000),
    100_000,
    'With pruning "custom": heights whose state can be read (balances, calls, proofs).',
  ),
  'pruning-keep-blocks': key(
    integer(256, 1_000_000_000),
    100_000,
    'With pruning "custom": blocks that are kept, with their transactions, receipts, logs and index.',
  ),
  'log.level': key(
    oneOf(...LOG_LEVELS),
    'info',
    'Least severe messages that node, dispatcher and worker log.',
  ),
  'metrics.address': key(
    optionalListenAddress,
    'off',
    'Where the node serves metrics for Prometheus (GET /metrics, docs/metrics.md), or "off".',
  ),

  'dev.enable': key(
    flag,
    false,
    'For tests of contracts: evm_*, hardhat_* and anvil_* edit the state, the time and the chain, and blocks are made when they are asked for. --dev is the same. Only on a chain that was made with it, with one validator and loopback addresses.',
  ),

  'accounts.unlock-development': key(
    flag,
    false,
    'Unlock the development accounts at the start, while all listeners are loopback. assay up sets it.',
  ),

  'accounts.light-scrypt': key(
    flag,
    false,
    'Encrypt new keys with light scrypt: fast, and weak against guessing. For development.',
  ),

  'json-rpc.address': key(
    listenAddress,
    '127.0.0.1:8545',
    'Ethereum JSON-RPC over HTTP. Port 0 takes a free one.',
  ),
  'json-rpc.ws-address': key(listenAddress, '127.0.0.1:8546', 'Ethereum JSON-RPC over WebSocket.'),
  'json-rpc.api': key(
    texts,
    ['web3', 'net', 'eth', 'personal', 'debug', 'miner', 'txpool', 'trace', 'admin', 'rpc'],
    'Namespaces that are served. personal, miner and admin also need a token, or the IPC socket.',
  ),
  'json-rpc.block-profile': key(
    oneOf('spec', 'ethereum'),
    'spec',
    'Proof-of-work fields of blocks at the plain address: null ("spec") or zero ("ethereum", always so at /ethereum and over IPC).',
  ),
  'json-rpc.private': key(
    oneOf('token', 'open'),
    'token',
    '"open" lets anyone who reaches a loopback address use personal_* and miner_* without a token. Dangerous.',
  ),
  'json-rpc.private-remote': key(
    flag,
    false,
    'Serve personal_* and miner_* at addresses that are not loopback (with a token).',
  ),
  'json-rpc.hosts': key(
    texts,
    [],
    'Host names that requests may address, beside IP addresses and localhost.',
  ),
  'json-rpc.cors-origins': key(
    texts,
    [],
    'Web origins that may read answers over HTTP. Empty switches CORS off.',
  ),
  'json-rpc.ws-origins': key(texts, [], 'Web origins that may open WebSockets.'),
  'json-rpc.batch-limit': key(integer(1, 10_000), 1000, 'Most requests in one batch.'),
  'json-rpc.body-limit': key(integer(1024, 104_857_600), 5_242_880, 'Largest HTTP body, in bytes.'),
  'json-rpc.batch-response-limit': key(
    integer(1024, 1_000_000_000),
    25_000_000,
    'Most bytes of all answers of one batch.',
  ),
  'json-rpc.headers-timeout': key(
    duration(100, 600_000),
    '10s',
    'How long the headers of a request may take to arrive.',
  ),
  'json-rpc.request-timeout': key(
    duration(100, 3_600_000),
    '30s',
    'How long a whole request may take to arrive.',
  ),
  'json-rpc.keep-alive': key(
    duration(1000, 3_600_000),
    '2m',
    'How long an HTTP connection may be idle.',
  ),
  'json-rpc.gas-cap': key(
    integer(21_000, 1_000_000_000),
    25_000_000,
    'Most gas for eth_call and eth_estimateGas.',
  ),
  'json-rpc.txfee-cap': key(
    wholeUnits,
    1,
    "Most that a transaction sent with one of this node's keys may pay in fees. 0 lifts the cap.",
  ),
  'json-rpc.evm-timeout': key(
    duration(10, 600_000),
    '5s',
    'Longest execution of one eth_call or eth_estimateGas.',
  ),
  'json-rpc.call-workers': key(
    integer(1, 64),
    2,
    'Most worker threads for eth_call and eth_estimateGas.',
  ),
  'json-rpc.logs-cap': key(integer(1, 1_000_000), 10_000, 'Most logs in one answer.'),
  'json-rpc.logs-timeout': key(duration(10, 600_000), '10s', 'Longest time for one query of logs.'),
  'json-rpc.logs-range': key(
    integer(0, 1_000_000_000),
    0,
    'Most blocks that one query of logs may span. 0 lifts the limit.',
  ),
  'json-rpc.max-filters': key(integer(1, 1_000_000), 1000, 'Most filters at a time.'),
  'json-rpc.filter-timeout': key(
    duration(1000, 86_400_000),
    '5m',
    'A filter that nobody polls for this long is dropped.',
  ),
  'json-rpc.max-connections': key(
    integer(1, 100_000),
    10_000,
    'Most open connections, of HTTP and of WebSocket each.',
  ),
  'json-rpc.max-subscriptions': key(
    integer(1, 100_000),
    100,
    'Most subscriptions of one connection.',
  ),
  'json-rpc.ws-message-limit': key(
    integer(1024, 104_857_600),
    1_048_576,
    'Largest message from a WebSocket client, in bytes.',
  ),
  'json-rpc.ws-send-buffer': key(
    integer(65_536, 1_073_741_824),
    1_048_576,
    'Most bytes of notifications that wait for a slow client of WebSocket or IPC before it is dropped.',
  ),
  'json-rpc.ws-ping-interval': key(
    duration(1000, 3_600_000),
    '30s',
    'Time between pings; a WebSocket client that has not answered by the next one is dropped.',
  ),

  'rpc.laddr': key(
    tcpAddress,
    'tcp://127.0.0.1:26657',
    'Consensus RPC (URI, JSON-RPC and /websocket).',
  ),
  'rpc.unsafe': key(
    flag,
    false,
    'Serve dial_seeds, dial_peers and unsafe_flush_mempool too. Anyone who reaches the address can then empty the pool.',
  ),

  'explorer.enable': key(flag, true, 'Serve the explorer and job console as a web page.'),
  'explorer.address': key(
    optionalListenAddress,
    '127.0.0.1:4000',
    'Where the explorer is served. "off" turns it off. Its page may use the JSON-RPC, the consensus RPC and the job API.',
  ),
  'explorer.dispatcher': key(
    optionalWebUrl,
    '',
    'Job API that the explorer shows, when assay node runs alone. assay up sets it to its own dispatcher.',
  ),

  'consensus.engine': key(
    oneOf('embedded', 'cometbft'),
    'embedded',
    'What decides blocks: this process alone ("embedded"), or a network of CometBFT v0.38 nodes, of which this is one.',
  ),
  'consensus.block-interval': key(
    duration(100, 30_000),
    '1s',
    'An empty block after this long without transactions. With "cometbft": its timeout_commit.',
  ),
  'consensus.gather-window': key(
    duration(0, 10_000),
    '20ms',
    'How long a block waits for more transactions after the first one; under load up to three times as long (embedded engine).',
  ),
  'consensus.abci-address': key(
    orNothing(socketAddress),
    '',
    'With "cometbft": where the application listens for it (unix:///path or tcp://host:port). Empty: abci.sock in the home.',
  ),
  'consensus.comet-rpc': key(
    orNothing(tcpAddress),
    '',
    'With "cometbft": the RPC of a CometBFT that runs elsewhere and connects here by itself. Empty: this node runs its own.',
  ),
  cometbft: key(
    text,
    'cometbft',
    'The CometBFT program to run: its path, or its name on the PATH.',
  ),
  'p2p.laddr': key(
    tcpAddress,
    'tcp://127.0.0.1:26656',
    'With "cometbft": where other nodes reach this one.',
  ),
  'p2p.persistent-peers': key(
    texts,
    [],
    'With "cometbft": nodes to stay connected to, as <node id>@host:port.',
  ),

  'state.archive': key(
    flag,
    false,
    'Serve proofs of every height, not of the last proof-window only.',
  ),
  'state.proof-window': key(
    integer(1, 100_000_000),
    10_000,
    'How many blocks back eth_getProof reaches.',
  ),

  'state-sync.snapshot-interval': key(
    integer(0, 1_000_000_000),
    0,
    'Heights between two snapshots of the state, which new nodes of a network restore instead of executing every block. 0 takes none.',
  ),
  'state-sync.keep': key(integer(1, 100), 2, 'How many snapshots stay on disk, the latest ones.'),
  'state-sync.rpc-servers': key(
    texts,
    [],
    'With "cometbft": consensus RPCs of two nodes (host:port) through which a new node verifies a snapshot of its peers, which it takes instead of executing every block. Empty: every block is executed.',
  ),
  'state-sync.trust-height': key(
    integer(0, 1_000_000_000_000),
    0,
    'With state-sync.rpc-servers: a height whose header is trusted, no older than a week.',
  ),
  'state-sync.trust-hash': key(text, '', 'With state-sync.rpc-servers: the hash of that header.'),

  'mempool.sender-limit': key(
    integer(1, 1_000_000),
    4096,
    'Most pooled transactions of one sender.',
  ),
  'mempool.queue-limit': key(
    integer(1, 100_000),
    64,
    'Most transactions of one sender behind a nonce gap.',
  ),
  'mempool.size': key(integer(1, 10_000_000), 20_000, 'Most pooled transactions in all.'),
} as const

export type NodeConfig = ConfigOf<typeof nodeKeys>
