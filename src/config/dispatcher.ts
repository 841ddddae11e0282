/** Every configuration key of the dispatcher. They are in the same assay.toml as the node's. */
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from './contracts.ts'
import { addressOr, optionalAddress } from './hexTypes.ts'
import { key, type ConfigOf } from './key.ts'
import { duration, flag, integer, listenAddress, oneOf, text, texts } from './types.ts'
import { optionalBucketUrl, optionalDatabaseUrl, optionalHttpUrl } from './url.ts'

/** The keys by name. */
export const dispatcherKeys = {
  'dispatcher.address': key(listenAddress, '127.0.0.1:8549', 'HTTP address of the job API.'),
  'dispatcher.operator-address': key(
    listenAddress,
    '127.0.0.1:0',
    'Address that operators connect to (WebSocket). Port 0 picks a free port.',
  ),
  'dispatcher.pg_db_url': key(
    optionalDatabaseUrl,
    '',
    'PostgreSQL database of the dispatcher (postgres://…). Empty: an embedded database in the home folder.',
  ),
  'dispatcher.chain-id': key(
    integer(1, Number.MAX_SAFE_INTEGER),
    271_828,
    'EIP-155 id of the chain that operators sign for. assay up sets this to its own chain.',
  ),
  'dispatcher.chain-rpc-url': key(
    optionalHttpUrl,
    '',
    'JSON-RPC of that chain. Each VRF draw is bound to one of its blocks. Empty: draws are bound to no block. assay up sets this to its own node.',
  ),
  'dispatcher.consensus-rpc-url': key(
    optionalHttpUrl,
    '',
    'Consensus RPC of that chain, for proofs of receipts up to its signed headers. assay up sets this to its own node.',
  ),
  'dispatcher.anchor-interval': key(
    duration(0, 86_400_000),
    '10s',
    'How often the Merkle root of new receipts is anchored on that chain, in one transaction. "0s": never.',
  ),
  'dispatcher.receipts-contract': key(
    addressOr(RECEIPTS_ADDRESS),
    '',
    'JobReceipts contract on that chain, which stores these roots (assay registry deploy). Empty: the one in the Assay genesis.',
  ),
  'dispatcher.registry-contract': key(
    addressOr(REGISTRY_ADDRESS),
    '',
    'OperatorRegistry contract on that chain, where operators register with their selection range. Empty: the one in the Assay genesis.',
  ),
  'dispatcher.model-registry': key(
    optionalAddress,
    '',
    'ModelRegistry contract on that chain (assay registry deploy): what file each model name is, besides what assay dispatcher model says. Empty: none.',
  ),
  'dispatcher.model-registrar': key(
    optionalAddress,
    '',
    'Account whose list in that contract holds. It comes before the list of the database.',
  ),
  'dispatcher.operators': key(
    oneOf('any', 'registered'),
    'any',
    'Who may take jobs: any operator that proves its key, or only operators registered in that contract.',
  ),
  'dispatcher.open-reads': key(
    flag,
    true,
    'Let anyone who can reach the address read results and details. Ignored (off) on non-loopback addresses.',
  ),
  'dispatcher.unknown-model': key(
    oneOf('wait', 'refuse'),
    'wait',
    'What to do with a job for a model that no connected operator serves: let it wait until its deadline, or refuse it with 404.',
  ),
  'dispatcher.job-deadline': key(
    duration(1000, 86_400_000),
    '10m',
    'A job without a result expires after this long.',
  ),
  'dispatcher.retention': key(
    duration(0, 10 * 365 * 86_400_000),
    '720h',
    'Finished jobs are deleted, with their prompts and results, after this long. "0s" keeps them forever.',
  ),
  'dispatcher.archive': key(
    optionalBucketUrl,
    '',
    'URL of a bucket (S3) that these jobs are moved to instead, with key id and secret as its user and password, and ?region=NAME. Results and details are still served. Empty: they are deleted.',
  ),
  'dispatcher.lease': key(
    duration(1000, 3_600_000),
    '30s',
    'An operator that is silent for this long loses its job.',
  ),
  'dispatcher.max-attempts': key(
    integer(1, 100),
    5,
    'Maximum number of times a job is handed out before it fails.',
  ),
  'dispatcher.committee': key(
    integer(1, 256),
    16,
    'Number of operators that a job is handed to, drawn among those that serve its model. The next ones are drawn when these bring no answer. Projects that require agreement ask for their own number.',
  ),
  'dispatcher.project-jobs-per-minute': key(
    integer(0, 10_000_000),
    60_000,
    'Maximum number of jobs a project may submit per minute, unless it has its own limit. 0: unlimited.',
  ),
  'dispatcher.token-jobs-per-minute': key(
    integer(0, 10_000_000),
    60_000,
    'Maximum number of jobs submitted per minute with one token. 0: unlimited.',
  ),
  'dispatcher.project-jobs-per-day': key(
    integer(0, 1_000_000_000),
    0,
    'Maximum number of jobs a project may submit per day (UTC). 0: unlimited.',
  ),
  'dispatcher.project-tokens-per-minute': key(
    integer(0, 1_000_000_000),
    0,
    'Maximum number of tokens of prompts and answers of a project per minute, unless it has its own limit. 0: unlimited.',
  ),
  'dispatcher.webhook-hosts': key(
    texts,
    [],
    'Private hosts (host or host:port) that webhooks may be sent to, also without TLS.',
  ),
  'dispatcher.software-evidence': key(
    oneOf('accept', 'refuse'),
    'accept',
    'Whether to accept evidence from tee workers without a TEE. It proves nothing about hardware and is recorded as "software-insecure".',
  ),
  'dispatcher.hardware-evidence': key(
    text,
    '',
    'JSON file that lists the trusted hardware and the measurements allowed on it. Empty: hardware evidence is refused.',
  ),
  'dispatcher.hosts': key(
    texts,
    [],
    'Host names accepted in the Host header, besides IP addresses and localhost.',
  ),
  'dispatcher.cors-origins': key(
    texts,
    [],
    'Web origins allowed to use the job API. assay up adds its own explorer.',
  ),
  'dispatcher.database-port': key(
    integer(0, 65_535),
    0,
    'Port of the embedded database. 0 picks a free port.',
  ),
} as const

export type DispatcherConfig = ConfigOf<typeof dispatcherKeys>
