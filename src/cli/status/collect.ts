/** What a running system reports about itself, over its public addresses. */
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Home } from '../../config/home.ts'

/** Addresses of a home's programs. */
export type Addresses = {
  readonly rpc: string
  readonly comet: string
  readonly dispatcher: string
}

const quantity = z.string().transform((hex) => Number(hex))

const chainAnswers = z.tuple([
  z.object({
    number: quantity,
    timestamp: quantity,
    gasUsed: quantity,
    gasLimit: quantity,
    baseFeePerGas: quantity,
    transactions: z.array(z.unknown()).transform((list) => list.length),
  }),
  quantity,
  // A number at the root path, a quantity at /ethereum (D4).
  z.union([z.number(), quantity]),
  z.string(),
  z.union([z.literal(false), z.unknown()]).transform((syncing) => syncing !== false),
])

/** The methods whose results `chainAnswers` describes. */
const CHAIN_REQUESTS: readonly (readonly [string, readonly unknown[]])[] = [
  ['eth_getBlockByNumber', ['latest', false]],
  ['eth_chainId', []],
  ['net_peerCount', []],
  ['web3_clientVersion', []],
  ['eth_syncing', []],
]

/** Of /healthz (D94). */
const healthAnswer = z.object({ signer: z.boolean().optional() })

const poolAnswer = z.object({ result: z.object({ n_txs: z.string(), total_bytes: z.string() }) })

const operators = z.object({
  result: z.array(
    z.object({
      operator: z.string(),
      workers: z.array(z.string()),
      models: z.array(z.string()),
      slots: z.number(),
      busy: z.number(),
    }),
  ),
})

/** A folder, and the total size of its files in bytes. */
export type FolderSize = { readonly name: string; readonly bytes: number }

export type Status = {
  /** undefined if the node does not respond. */
  readonly chain:
    | {
        readonly height: number
        /** Unix time, in seconds. */
        readonly blockTime: number
        readonly transactions: number
        readonly gasUsed: number
        readonly gasLimit: number
        readonly baseFee: number
        readonly chainId: number
        readonly peers: number
        readonly version: string
        readonly isSyncing: boolean
        /** Whether the remote signer is connected; undefined without one. */
        readonly isSignerConnected: boolean | undefined
        /** Number of transactions in the pool. */
        readonly pool: number | undefined
      }
    | undefined
  /** undefined if the dispatcher does not respond. */
  readonly jobs:
    | { readonly created: number; readonly dispatched: number; readonly submitted: number }
    | undefined
  /** undefined if the dispatcher does not respond, or not without a token. */
  readonly operators: z.output<typeof operators>['result'] | undefined
  readonly disk: {
    readonly folders: readonly FolderSize[]
    readonly freeBytes: number
    readonly totalBytes: number
  }
}

const TIMEOUT_MS = 3_000

async function textOf(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
  return await response.text()
}

/** What does not respond is considered absent. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch {
    return undefined
  }
}

async function askChain({ rpc, comet }: Addresses): Promise<Status['chain']> {
  const batch = CHAIN_REQUESTS.map(([method, params], id) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  }))
  const text = await textOf(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  })
  const answers = z.array(z.object({ result: z.unknown() })).parse(JSON.parse(text))
  const [block, chainId, peers, version, isSyncing] = chainAnswers.parse(
    answers.map(({ result }) => result),
  )
  const pool = await orNothing(textOf(`${comet}/num_unconfirmed_txs`))
  const health = await orNothing(textOf(`${rpc}/healthz`))
  return {
    height: block.number,
    blockTime: block.timestamp,
    transactions: block.transactions,
    gasUsed: block.gasUsed,
    gasLimit: block.gasLimit,
    baseFee: block.baseFeePerGas,
    chainId,
    peers,
    version,
    isSyncing,
    isSignerConnected:
      health === undefined ? undefined : healthAnswer.safeParse(JSON.parse(health)).data?.signer,
    pool: pool === undefined ? undefined : Number(poolAnswer.parse(JSON.parse(pool)).result.n_txs),
  }
}

async function askJobs({ dispatcher }: Addresses): Promise<Status['jobs']> {
  const text = await textOf(`${dispatcher}/metrics`)
  const valueOf = (sample: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')[1] ?? 0,
    )
  return {
    created: valueOf('assay_jobs_unfinished{state="created"}'),
    dispatched: valueOf('assay_jobs_unfinished{state="dispatched"}'),
    submitted: valueOf('assay_jobs_submitted_total'),
  }
}

async function askOperators({ dispatcher }: Addresses): Promise<Status['operators']> {
  return operators.parse(JSON.parse(await textOf(`${dispatcher}/api/operators`))).result
}

/** The total size of all files below a folder; files that vanish meanwhile are skipped. */
export function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes +=
      fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

function readDisk({ folder, data, postgres, models, logs }: Home): Status['disk'] {
  const { bavail, blocks, bsize } = fs.statfsSync(folder)
  const folders = { chain: data, database: postgres, models, logs }
  return {
    folders: Object.entries(folders)
      .filter(([, each]) => fs.existsSync(each))
      .map(([name, each]) => ({ name, bytes: sizeOf(each) })),
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
  }
}

/** Queries everything in parallel; each part has three seconds. */
export async function collectStatus(home: Home, addresses: Addresses): Promise<Status> {
  const [chain, jobs, connected] = await Promise.all([
    orNothing(askChain(addresses)),
    orNothing(askJobs(addresses)),
    orNothing(askOperators(addresses)),
  ])
  return { chain, jobs, operators: connected, disk: readDisk(home) }
}
