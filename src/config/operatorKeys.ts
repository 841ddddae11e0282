/** Every configuration key of an operator (interface.md, "Operator configuration keys"; D33). Only the first seven are required. */
import { defaultHome } from '../base/defaultHome.ts'
import { LOG_LEVELS } from '../base/log.ts'
import { isPrivateKey } from '../base/secp256k1.ts'
import { homePaths } from './home.ts'
import { key, ValueError, type Key, type ValueType } from './key.ts'
import { REGISTRY_ADDRESS } from './contracts.ts'
import { address, addressOr, hexBytes } from './hexTypes.ts'
import { integer, oneOf, optionalListenAddress, text, texts } from './types.ts'
import { databaseUrl, httpUrl, silent, urlOf } from './url.ts'

/** Sections that keys may be grouped in. A key is found in any of them, or outside all of them. */
export const OPERATOR_SECTIONS = ['db', 'net', 'node', 'chain'] as const

/** What operators can do. */
export type NodeType = 'opml' | 'tee'

const NODE_TYPES: ReadonlySet<string> = new Set(['opml', 'tee'])

const privateKey = silent('a private key: 64 hex digits, with or without 0x, in quotes', (raw) => {
  const bytes = hexBytes(raw, 32)
  return bytes !== undefined && isPrivateKey(bytes) ? bytes : undefined
})

const WEBSOCKET_PROTOCOL: Readonly<Record<string, string>> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
}

/**
 * Every accepted form of the dispatcher's address becomes the URL of its operator socket; the path is /ws unless one is
 * given.
 */
const dispatcherUrl = silent('host:port, or an http(s) or ws(s) URL', (raw) => {
  const url = urlOf(
    /^[a-z]+:\/\//i.test(raw) ? raw : `ws://${raw}`,
    Object.keys(WEBSOCKET_PROTOCOL),
  )
  const protocol = url && WEBSOCKET_PROTOCOL[url.protocol]
  if (url === undefined || protocol === undefined) return undefined
  return `${protocol}//${url.host}${url.pathname === '/' ? '/ws' : url.pathname}`
})

const nodeTypes: ValueType<readonly NodeType[]> = {
  expects: 'a list of "opml" and "tee"',
  parse(raw) {
    const list = texts.parse(raw)
    if (list.length === 0 || !list.every((type) => NODE_TYPES.has(type)))
      throw new ValueError('expected a list of "opml" and "tee"')
    return [...new Set(list)] as NodeType[]
  },
}

/** An empty string, or a value of the type. */
function optional<T>(type: ValueType<T>): ValueType<T | undefined> {
  return {
    expects: type.expects,
    parse: (raw) => (raw === '' ? undefined : type.parse(raw)),
  }
}

const home = homePaths(defaultHome())

/** The keys without a default. */
export const requiredOperatorKeys = {
  pg_db_url: key(databaseUrl, '', "URL of the operator's relational database."),
  dispatcher_url: key(dispatcherUrl, '', 'Dispatcher address: host:port, or a URL.'),
  dispatcher_address: key(
    address,
    '',
    "The dispatcher's id, an address. The dispatcher proves at each login that it holds its key.",
  ),
  node_id: key(address, '', "The operator's address, which must be the address of signer_key."),
  signer_key: key(privateKey, '', "The operator's private key."),
  vrf_key: key(privateKey, '', 'Private key of the VRF; must equal signer_key.'),
  chain_rpc_url: key(httpUrl, '', 'Address of an EVM-compatible RPC node.'),
} as const satisfies Readonly<Record<string, Key<unknown>>>

/** The keys with a default. */
export const optionalOperatorKeys = {
  node_type: key(nodeTypes, ['opml', 'tee'], 'Job types that this operator takes.'),
  models_dir: key(text, home.models, 'Folder with the model files (GGUF).'),
  slots: key(
    integer(1, 256),
    4,
    'Maximum number of jobs held at a time; the integer engine computes up to 16 of one model together.',
  ),
  worker_url: key(
    optional(httpUrl),
    '',
    'Address of a running TEE worker. Empty: the operator starts its own.',
  ),
  worker_secret_file: key(
    text,
    '',
    'File with the secret that worker and operator share. Required with worker_url.',
  ),
  worker_dir: key(
    text,
    home.worker,
    'Folder of the worker that the operator starts, with its attestation key and secret.',
  ),
  engine: key(
    oneOf('fixed', 'llama'),
    'fixed',
    'Engine for opml jobs: "fixed" gives the same bits on every machine; "llama" (llama.cpp) supports more models.',
  ),
  max_context: key(
    integer(16, 16_777_216),
    8192,
    "Maximum number of tokens of a prompt and its answer together. A model's own limit may be lower.",
  ),
  threads: key(
    integer(0, 256),
    0,
    'Threads that compute opml jobs with the engine "fixed"; 0: as many as the machine has cores.',
  ),
  memory_mb: key(
    integer(0, 16_777_216),
    0,
    'Memory for models and their contexts, in megabytes; jobs that need more are refused. 0: four fifths of what the machine or its container has.',
  ),
  registry_contract: key(
    addressOr(REGISTRY_ADDRESS),
    '',
    'OperatorRegistry contract on that chain. An operator registered there draws within its registered range. Empty: the one in the Assay genesis.',
  ),
  llama_dir: key(
    text,
    '',
    'Folder of the llama.cpp binding. Empty: where assay runtime install puts it (runtime/llama of ASSAY_HOME or ~/.assay), or the one in the installation.',
  ),
  metrics_address: key(
    optionalListenAddress,
    'off',
    'Address that serves metrics for Prometheus (GET /metrics), or "off".',
  ),
  log_level: key(oneOf(...LOG_LEVELS), 'info', 'Minimum severity of log messages.'),
} as const satisfies Readonly<Record<string, Key<unknown>>>

/** All keys, for loading and for the documentation. */
export const operatorKeys = { ...requiredOperatorKeys, ...optionalOperatorKeys } as const
