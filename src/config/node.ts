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
  share,
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
  moniker: key(text, 'assay', 'Name of this node, reported by the consensus RPC (/status).'),
  'minimum-gas-prices': key(
    gasPrice,
    '0aassay',
    'Minimum gas price for the pool and proposals of this node. The flag overrides miner_setGasPrice.',
  ),
  pruning: key(
    oneOf('nothing', 'everything', 'custom'),
    'nothing',
    'Which old heights are pruned: none, all but the most recent (128 states, 256 blocks), or all but as many as the next two keys say.',
  ),
  'pruning-keep-recent': key(
    integer(1, 1_000_000_000),
    100_000,
    'With pruning "custom": number of recent heights whose state stays readable (balances, calls, proofs).',
  ),
  'pruning-keep-blocks': key(
    integer(256, 1_000_000_000),
    100_000,
    'With pruning "custom": number of recent blocks to keep, with their transactions, receipts, logs and index.',
  ),
  'log.level': key(
    oneOf(...LOG_LEVELS),
    'info',
    'Minimum severity of the log messages of node, dispatcher and worker.',
  ),
  'log.max-size': key(
    integer(0, 1_000_000),
    20,
    'Size in megabytes at which assay up rotates the log of a program; 0 never does.',
  ),
  'log.keep': key(
    integer(0, 1000),
    5,
    'Number of rotated logs to keep for each program, named .1 (the latest) and up.',
  ),
  'otel.endpoint': key(
    text,
    '',
    'URL of an OpenTelemetry collector (OTLP/HTTP with JSON, such as http://127.0.0.1:4318) that takes traces of node, dispatcher, operators and worker; OTEL_EXPORTER_OTLP_ENDPOINT if empty.',
  ),
  'otel.sampling': key(
    share,
    1,
    'Share of traces that is recorded. Every program decides by the id of the trace.',
  ),
  'metrics.address': key(
    optionalListenAddress,
    'off',
    'Address that serves metrics for Prometheus (GET /metrics, docs/metrics.md), or "off".',
  ),

  model: key(
    text,
    'auto',
    'Model that assay up fetches in the background if it is not there, as assay model get takes it, or "none". "auto" is the first of the catalogue when npm start runs it; nothing with --dev, or where CI or NODE_ENV=production is set.',
  ),

  'dev.enable': key(
    flag,
    false,
    'For contract tests: evm_*, hardhat_* and anvil_* edit the state, the time and the chain, and blocks are mined on demand. Same as --dev. Works only on a chain created with it, with one validator and loopback addresses.',
  ),

  'accounts.unlock-development': key(
    flag,
    false,
    'Unlock the development accounts at startup, provided that all listeners are on loopback. assay up sets this.',
  ),

  'accounts.light-scrypt': key(
    flag,
    false,
    'Encrypt new keys with light scrypt parameters: fast, but weak against brute force. For development only.',
  ),

  'json-rpc.address': key(
    listenAddress,
    '127.0.0.1:8545',
    'Ethereum JSON-RPC over HTTP. Port 0 picks a free port.',
  ),
  'json-rpc.ws-address': key(listenAddress, '127.0.0.1:8546', 'Ethereum JSON-RPC over WebSocket.'),
  'json-rpc.api': key(
    texts,
    ['web3', 'net', 'eth', 'personal', 'debug', 'miner', 'txpool', 'trace', 'admin', 'rpc'],
    'Namespaces to serve. personal, miner and admin also require a token or the IPC socket.',
  ),
  'json-rpc.block-profile': key(
    oneOf('spec', 'ethereum'),
    'spec',
    'Proof-of-work fields of blocks at the root path: null ("spec") or zero ("ethereum"). At /ethereum and over IPC they are always zero.',
  ),
  'json-rpc.private': key(
    oneOf('token', 'open'),
    'token',
    '"open" lets anyone who can reach a loopback address use personal_* and miner_* without a token. Dangerous.',
  ),
  'json-rpc.private-remote': key(
    flag,
    false,
    'Serve personal_* and miner_* on non-loopback addresses too (with a token).',
  ),
  'json-rpc.hosts': key(
    texts,
    [],
    'Host names accepted in the Host header, besides IP addresses and localhost.',
  ),
  'json-rpc.cors-origins': key(
    texts,
    [],
    'Web origins allowed to read HTTP responses. Empty disables CORS.',
  ),
  'json-rpc.ws-origins': key(texts, [], 'Web origins allowed to open WebSocket connections.'),
  'json-rpc.batch-limit': key(integer(1, 10_000), 1000, 'Maximum number of requests in a batch.'),
  'json-rpc.body-limit': key(
    integer(1024, 104_857_600),
    5_242_880,
    'Maximum size of an HTTP request body, in bytes.',
  ),
  'json-rpc.batch-response-limit': key(
    integer(1024, 1_000_000_000),
    25_000_000,
    'Maximum total size of the responses to a batch, in bytes.',
  ),
  'json-rpc.headers-timeout': key(
    duration(100, 600_000),
    '10s',
    'Timeout for receiving the headers of a request.',
  ),
  'json-rpc.request-timeout': key(
    duration(100, 3_600_000),
    '30s',
    'Timeout for receiving a whole request.',
  ),
  'json-rpc.keep-alive': key(
    duration(1000, 3_600_000),
    '2m',
    'How long an idle HTTP connection stays open.',
  ),
  'json-rpc.gas-cap': key(
    integer(21_000, 1_000_000_000),
    // D62.
    50_000_000,
    'Maximum gas for eth_call and eth_estimateGas.',
  ),
  'json-rpc.txfee-cap': key(
    wholeUnits,
    1,
    "Maximum fee of a transaction sent with one of this node's keys. 0 removes the cap.",
  ),
  'json-rpc.evm-timeout': key(
    duration(10, 600_000),
    '5s',
    'Execution timeout of an eth_call or eth_estimateGas.',
  ),
  'json-rpc.call-workers': key(
    integer(1, 64),
    2,
    'Maximum number of worker threads for eth_call and eth_estimateGas.',
  ),
  'json-rpc.logs-cap': key(integer(1, 1_000_000), 10_000, 'Maximum number of logs in a response.'),
  'json-rpc.logs-timeout': key(duration(10, 600_000), '10s', 'Timeout of a log query.'),
  'json-rpc.logs-range': key(
    integer(0, 1_000_000_000),
    0,
    'Maximum number of blocks that a log query may span. 0 removes the limit.',
  ),
  'json-rpc.max-filters': key(
    integer(1, 1_000_000),
    1000,
    'Maximum number of installed filters; beyond it, the client with the largest number loses its idlest.',
  ),
  'json-rpc.filter-timeout': key(
    duration(1000, 86_400_000),
    '5m',
    'A filter that is not polled for this long is removed.',
  ),
  'json-rpc.max-connections': key(
    integer(1, 100_000),
    10_000,
    'Maximum number of open connections, for HTTP and WebSocket separately.',
  ),
  'json-rpc.ready-lag': key(
    duration(1000, 86_400_000),
    '1m',
    'GET /readyz answers 503 when the last block is older than this. It must be longer than consensus.block-interval.',
  ),
  'json-rpc.max-subscriptions': key(
    integer(1, 100_000),
    100,
    'Maximum number of subscriptions per connection.',
  ),
  'json-rpc.ws-message-limit': key(
    integer(1024, 104_857_600),
    1_048_576,
    'Maximum size of a message from a WebSocket client, in bytes.',
  ),
  'json-rpc.ws-send-buffer': key(
    integer(65_536, 1_073_741_824),
    1_048_576,
    'Maximum size of the notifications queued for a slow WebSocket or IPC client, in bytes. A client that exceeds it is disconnected.',
  ),
  'json-rpc.ws-ping-interval': key(
    duration(1000, 3_600_000),
    '30s',
    'Interval between WebSocket pings. A client that has not answered by the next one is disconnected.',
  ),

  'rpc.laddr': key(
    tcpAddress,
    'tcp://127.0.0.1:26657',
    'Consensus RPC (URI over HTTP, JSON-RPC and /websocket).',
  ),
  'rpc.unsafe': key(
    flag,
    false,
    'Serve dial_seeds, dial_peers and unsafe_flush_mempool too. Anyone who can reach the address can then empty the pool.',
  ),

  'explorer.enable': key(flag, true, 'Serve the explorer and job console as a web page.'),
  'explorer.address': key(
    optionalListenAddress,
    '127.0.0.1:4000',
    'Address of the explorer, or "off". Its page may use the JSON-RPC, the consensus RPC and the job API.',
  ),
  'explorer.dispatcher': key(
    optionalWebUrl,
    '',
    'Job API that the explorer uses when assay node runs on its own. assay up sets this to its own dispatcher.',
  ),

  'consensus.engine': key(
    oneOf('embedded', 'cometbft'),
    'embedded',
    'What decides blocks: this process alone ("embedded"), or a network of CometBFT nodes (0.38, 0.39 or 0.40) that this node is part of.',
  ),
  'consensus.block-interval': key(
    duration(100, 30_000),
    '1s',
    'Without transactions, an empty block is made after this long. With "cometbft": its timeout_commit.',
  ),
  'consensus.gather-window': key(
    duration(0, 10_000),
    '20ms',
    'How long a block waits for more transactions after the first one; up to three times as long under load (embedded engine).',
  ),
  'consensus.max-clock-jump': key(
    duration(1000, 315_360_000_000),
    '1h',
    "How far the machine's clock may jump ahead while the node runs. One that jumps further is not followed, and on a network no block further ahead is voted for: block times never go back.",
  ),
  'consensus.accept-clock': key(
    flag,
    false,
    'Start although the last block is more than a year old by the clock of this machine. For one start, after the clock was checked.',
  ),
  'consensus.abci-address': key(
    orNothing(socketAddress),
    '',
    'With "cometbft": ABCI listen address (unix:///path or tcp://host:port). Empty: abci.sock in the home folder.',
  ),
  'consensus.comet-rpc': key(
    orNothing(tcpAddress),
    '',
    'With "cometbft": RPC address of an external CometBFT that connects to this node. Empty: this node runs its own.',
  ),
  cometbft: key(text, 'cometbft', 'CometBFT executable: a path, or a name on the PATH.'),
  'priv-validator-laddr': key(
    orNothing(socketAddress),
    '',
    "Address on which a remote signer connects (tcp://host:port or unix:///path), which then signs in place of the home's key: TMKMS, Horcrux or assay node signer. Let nobody else reach it. Empty: the home's key signs.",
  ),
  'unsafe-no-lock': key(
    flag,
    false,
    'Sign although the file system of the home has no locks, only with one validator in genesis.json. Nothing then prevents a second node on the same home, and both would sign: the chain would split.',
  ),
  'consensus.tx-index': key(
    oneOf('auto', 'on', 'off'),
    'auto',
    'With "cometbft": its own index of transactions and events, for tx, tx_search and block_search of the consensus RPC. It is never pruned, and JSON-RPC does not use it. "auto": what config.toml says; a new one says on where this node serves the explorer, and off otherwise.',
  ),
  'p2p.laddr': key(
    tcpAddress,
    'tcp://127.0.0.1:26656',
    'With "cometbft": listen address for peers.',
  ),
  'p2p.persistent-peers': key(
    texts,
    [],
    'With "cometbft": peers to stay connected to, as <node id>@host:port.',
  ),

  'state.archive': key(
    flag,
    false,
    'Serve proofs at every height, not only within state.proof-window.',
  ),
  'state.proof-window': key(
    integer(1, 100_000_000),
    10_000,
    'Number of recent blocks for which eth_getProof serves proofs.',
  ),

  'store.scrub': key(
    flag,
    true,
    'Verify the whole store in idle time: every page and record as the disk has it, the state against its trie, every block against its hashes. What is damaged ends the node, and is named.',
  ),
  'store.scrub-interval': key(
    duration(60_000, 30 * 24 * 3_600_000),
    '24h',
    'Time from the start of one such pass to that of the next.',
  ),

  'state-sync.snapshot-interval': key(
    orNothing(integer(0, 1_000_000_000)),
    '',
    'Number of blocks between state snapshots, which new nodes of a network restore instead of executing every block. 0 disables snapshots. Empty: 5000 with "cometbft", 0 with "embedded".',
  ),
  'state-sync.keep': key(integer(1, 100), 2, 'Number of recent snapshots to keep on disk.'),
  'state-sync.rpc-servers': key(
    texts,
    [],
    'With "cometbft": consensus RPCs of two nodes (host:port), which a new node uses to verify the snapshot that it restores from its peers. Empty: no state sync, every block is executed.',
  ),
  'state-sync.trust-height': key(
    integer(0, 1_000_000_000_000),
    0,
    'With state-sync.rpc-servers: height of a trusted header, no more than a week old.',
  ),
  'state-sync.trust-hash': key(text, '', 'With state-sync.rpc-servers: hash of that header.'),

  'mempool.sender-limit': key(
    integer(1, 1_000_000),
    4096,
    'Maximum number of pooled transactions per sender.',
  ),
  'mempool.queue-limit': key(
    integer(1, 100_000),
    64,
    'Maximum number of transactions per sender queued behind a nonce gap.',
  ),
  'mempool.size': key(
    integer(1, 10_000_000),
    20_000,
    'Maximum number of transactions in the pool.',
  ),
  'mempool.durable': key(
    flag,
    true,
    'Acknowledge a transaction once it is synced to disk, so that a crash or a restart of this node does not lose it. Without it, the pool is lost when the node ends.',
  ),
  'mempool.journal-limit': key(
    integer(1_048_576, 1_099_511_627_776),
    268_435_456,
    'With mempool.durable: maximum size of the file, in bytes. Transactions that clients of this node sent may fill half of it; beyond that, new ones are refused.',
  ),
} as const

export type NodeConfig = ConfigOf<typeof nodeKeys>
