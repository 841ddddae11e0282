/** Every configuration key of the dispatcher. They stand in the same assay.toml as the node's. */
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from './contracts.ts'
import { addressOr } from './hexTypes.ts'
import { key, type ConfigOf } from './key.ts'
import { duration, flag, integer, listenAddress, oneOf, text, texts } from './types.ts'
import { optionalDatabaseUrl, optionalHttpUrl } from './url.ts'

/** The keys by name. */
export const dispatcherKeys = {
  'dispatcher.address': key(listenAddress, '127.0.0.1:8549', 'HTTP address of the job API.'),
  'dispatcher.operator-address': key(
    listenAddress,
    '127.0.0.1:0',
    'Address that operators connect to (WebSocket). Port 0 takes a free one.',
  ),
  'dispatcher.pg_db_url': key(
    optionalDatabaseUrl,
    '',
    'PostgreSQL database of the dispatcher (postgres://…). Empty: an embedded one in the home.',
  ),
  'dispatcher.chain-id': key(
    integer(1, Number.MAX_SAFE_INTEGER),
    271_828,
    'EIP-155 id of the chain that operators sign for. assay up sets it to its own chain.',
  ),
  'dispatcher.chain-rpc-url': key(
    optionalHttpUrl,
    '',
    'JSON-RPC of that chain: draws bind its blocks. Empty: they bind none. assay up sets it to its own node.',
  ),
  'dispatcher.consensus-rpc-url': key(
    optionalHttpUrl,
    '',
    'Consensus RPC of that chain: receipts are proven up to its signed headers. assay up sets it to its own node.',
  ),
  'dispatcher.anchor-interval': key(
    duration(0, 86_400_000),
    '10s',
    'How often the Merkle root of new receipts is anchored on that chain, by one transaction. "0s": never.',
  ),
  'dispatcher.receipts-contract': key(
    addressOr(RECEIPTS_ADDRESS),
    '',
    'The contract on that chain that keeps the roots (assay registry deploy). Empty: that of our genesis.',
  ),
  'dispatcher.registry-contract': key(
    addressOr(REGISTRY_ADDRESS),
    '',
    'The contract on that chain in which operators register, with their part of the draws. Empty: that of our genesis.',
  ),
  'dispatcher.operators': key(
    oneOf('any', 'registered'),
    'any',
    'Who may take jobs: any operator that proves its key, or only those registered in that contract.',
  ),
  'dispatcher.open-reads': key(
    flag,
    true,
    'Let anyone who reaches the address read results and details. Ignored (off) at addresses that are not loopback.',
  ),
  'dispatcher.unknown-model': key(
    oneOf('wait', 'refuse'),
    'wait',
    'A job for a model that no connected operator serves: wait until its deadline, or refuse it with 404.',
  ),
  'dispatcher.job-deadline': key(
    duration(1000, 86_400_000),
    '10m',
    'A job without a result expires after this long.',
  ),
  'dispatcher.retention': key(
    duration(0, 10 * 365 * 86_400_000),
    '720h',
    'Finished jobs are removed, with prompts and results, after this long. "0s" keeps them.',
  ),
  'dispatcher.lease': key(
    duration(1000, 3_600_000),
    '30s',
    'An operator that is silent for this long loses its job.',
  ),
  'dispatcher.max-attempts': key(
    integer(1, 100),
    5,
    'How often a job is handed out before it fails.',
  ),
  'dispatcher.project-jobs-per-minute': key(
    integer(0, 10_000_000),
    60_000,
    'Jobs that a project may submit a minute, unless it has a limit of its own. 0: any number.',
  ),
  'dispatcher.token-jobs-per-minute': key(
    integer(0, 10_000_000),
    60_000,
    'Jobs that may be submitted a minute with one token. 0: any number.',
  ),
  'dispatcher.project-jobs-per-day': key(
    integer(0, 1_000_000_000),
    0,
    'Jobs that a project may submit a day (UTC). 0: any number.',
  ),
  'dispatcher.webhook-hosts': key(
    texts,
    [],
    'Hosts (host or host:port) to which webhooks may go although they are private, also without TLS.',
  ),
  'dispatcher.software-evidence': key(
    oneOf('accept', 'refuse'),
    'accept',
    'Evidence of tee workers without a TEE. It proves nothing about hardware and is recorded as "software-insecure".',
  ),
  'dispatcher.hardware-evidence': key(
    text,
    '',
    'JSON file of the hardware that is believed, and what may run there. Empty: evidence of hardware is refused.',
  ),
  'dispatcher.hosts': key(
    texts,
    [],
    'Host names that requests may address, beside IP addresses and localhost.',
  ),
  'dispatcher.cors-origins': key(
    texts,
    [],
    'Web origins that may use the job API. assay up adds the explorer of its own.',
  ),
  'dispatcher.database-port': key(
    integer(0, 65_535),
    0,
    'Port of the embedded database. 0 takes a free one.',
  ),
} as const

export type DispatcherConfig = ConfigOf<typeof dispatcherKeys>
