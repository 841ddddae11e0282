/**
 * Three full nodes behind HAProxy with the configuration of deploy/proxies, and one validator: nodes are killed under load, and
 * no client sees a failed request. Needs CometBFT and haproxy. ASSAY_TORTURE_RUNS is the number of kills, 1 by default.
 * Holds D116.
 */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { eventually } from '../support/assay.ts'
import { hasCometbft } from '../support/cometbft.ts'
import { startHaproxy } from '../support/haproxy.ts'
import { askRpc, createLocalnet, startLocalnet, type LocalnetNode } from '../support/localnet.ts'
import { hasTool } from '../support/tools.ts'

const isPresent = hasCometbft() && hasTool('haproxy')
if (!isPresent) console.warn('skipped: needs cometbft 0.38.25 and haproxy')

const KILLS = Math.min(Number(process.env['ASSAY_TORTURE_RUNS'] ?? '1'), 50)
const READERS = 8
const WRITERS = 4
const MINUTES = 60_000

type Answer = { readonly result?: unknown; readonly error?: { readonly message: string } }

const localnet = createLocalnet()
let proxy: Awaited<ReturnType<typeof startHaproxy>> | undefined
let nodes: readonly LocalnetNode[] = []

beforeAll(async () => {
  if (!isPresent) return
  await startLocalnet(localnet, '--validators=1', '--full=3')
  nodes = (await localnet.status()).slice(1)
  proxy = await startHaproxy(nodes.map(({ rpc, ws }) => ({ rpc, ws })))
}, 3 * MINUTES)
afterAll(async () => {
  await proxy?.stop()
  if (isPresent) await localnet.remove()
})

/** A client with an address of its own, so that the proxy gives it a node. */
function createClient(url: string, index: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const localAddress = `127.0.0.${index + 2}`
  const headers = { 'content-type': 'application/json' }
  return (method: string, params: readonly unknown[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = http.request(
        url,
        { method: 'POST', agent, headers, localAddress },
        (response) => {
          let text = ''
          response.on('data', (chunk) => (text += chunk))
          response.on('error', reject)
          response.on('end', () => {
            if (response.statusCode === 200) resolve(JSON.parse(text) as Answer)
            else reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`))
          })
        },
      )
      request.on('error', reject)
      request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    })
}

const ADDRESS = `0x${'11'.repeat(20)}`
const READS: readonly (readonly [string, readonly unknown[]])[] = [
  ['eth_blockNumber', []],
  ['eth_getBalance', [ADDRESS, 'latest']],
  ['eth_getBlockByNumber', ['latest', true]],
  ['eth_call', [{ to: ADDRESS }, 'latest']],
]

/** What all clients saw. */
type Seen = {
  reads: number
  longestMs: number
  readonly hashes: string[]
  readonly failures: string[]
}

async function ask(seen: Seen, work: () => Promise<Answer>): Promise<Answer | undefined> {
  const since = performance.now()
  try {
    return await work()
  } catch (error) {
    seen.failures.push(String(error))
    return undefined
  } finally {
    seen.longestMs = Math.max(seen.longestMs, performance.now() - since)
  }
}

async function read(url: string, index: number, seen: Seen, stop: AbortSignal): Promise<void> {
  const client = createClient(url, index)
  for (let turn = 0; !stop.aborted; turn++) {
    const [method, params] = READS[turn % READS.length] ?? ['eth_blockNumber', []]
    const answer = await ask(seen, () => client(method, params))
    seen.reads++
    if (answer !== undefined && answer.result === undefined)
      seen.failures.push(`${method}: ${answer.error?.message}`)
  }
}

async function write(url: string, index: number, seen: Seen, stop: AbortSignal): Promise<void> {
  const client = createClient(url, READERS + index)
  const key = developmentKeys()[index] ?? new Uint8Array(32)
  for (let nonce = 0n; !stop.aborted; nonce++) {
    const { raw, hash } = signTransaction(
      {
        type: 2,
        chainId: 271_828n,
        nonce,
        maxFeePerGas: 10n ** 12n,
        maxPriorityFeePerGas: 10n ** 9n,
        gasLimit: 21_000n,
        to: new Uint8Array(20).fill(0x11),
        value: 1n,
        data: new Uint8Array(0),
        accessList: [],
        authorizationList: [],
      },
      key,
    )
    const answer = await ask(seen, () => client('eth_sendRawTransaction', [toHex(raw)]))
    // Repeated by the proxy: the node that took it first has passed it on.
    const isThere = answer?.error?.message.includes('already known') ?? false
    if (answer?.result !== undefined || isThere) seen.hashes.push(toHex(hash))
    else if (answer !== undefined) seen.failures.push(`send: ${answer.error?.message}`)
    // As a wallet does. What only the killed node had comes back with it, out of its journal.
    await mined(client, toHex(hash), seen, stop)
  }
}

/** Resolves once a transaction is in a block, or at the end of the test. */
async function mined(
  client: ReturnType<typeof createClient>,
  hash: string,
  seen: Seen,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const answer = await ask(seen, () => client('eth_getTransactionReceipt', [hash]))
    if (answer?.result !== null && answer?.result !== undefined) return
    await sleep(50)
  }
}

async function statusOf(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`).catch(() => undefined))?.status ?? 0
}

test.runIf(isPresent)(
  'a full node that is killed under load fails no request, and loses no transaction that it acknowledged',
  { timeout: (3 + KILLS) * MINUTES },
  async () => {
    const url = proxy?.url ?? ''
    for (const { rpc } of nodes)
      await eventually(async () => (await statusOf(rpc)) === 200 || undefined)
    const seen: Seen = { reads: 0, longestMs: 0, hashes: [], failures: [] }
    const stopping = new AbortController()
    const since = performance.now()
    const clients = [
      ...Array.from({ length: READERS }, (_, index) => read(url, index, seen, stopping.signal)),
      ...Array.from({ length: WRITERS }, (_, index) => write(url, index, seen, stopping.signal)),
    ]
    const backAfter: string[] = []
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const before = seen.reads
        await eventually(() => seen.reads > before + 500 || undefined)
        const { name, rpc } = nodes[kill % nodes.length] ?? { name: '', rpc: '' }
        await localnet.run('kill', name)
        const killedAt = performance.now()
        await eventually(async () => (await statusOf(rpc)) === 200 || undefined, 120)
        backAfter.push(`${((performance.now() - killedAt) / 1000).toFixed(1)} s`)
      }
    } finally {
      stopping.abort()
      await Promise.all(clients)
    }
    const seconds = (performance.now() - since) / 1000
    console.info(
      `${KILLS} kills in ${seconds.toFixed(0)} s: ${seen.reads} reads, ${seen.hashes.length} transactions, ` +
        `${seen.failures.length} failed; longest request ${(seen.longestMs / 1000).toFixed(2)} s; ready again after ${backAfter.join(', ')}`,
    )
    expect([...new Set(seen.failures)]).toEqual([])
    expect(seen.hashes.length).toBeGreaterThan(0)
    for (const hash of seen.hashes)
      await eventually(async () => {
        const receipt = await askRpc(url, 'eth_getTransactionReceipt', [hash])
        return receipt === null ? undefined : true
      })
  },
)
