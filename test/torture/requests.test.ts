/**
 * Requests of every JSON-RPC method, made from the node's own OpenRPC document and out of recorded ones, fitting, nearly
 * fitting and hostile, over HTTP, WebSocket and the IPC socket; and of every endpoint of the consensus RPC. Each gets its
 * answer, none is an internal error, and each result has the promised shape. 2,000 requests, or ASSAY_FUZZ_REQUESTS of
 * them; ASSAY_FUZZ_SEED makes the same ones again.
 */
import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { cometTable } from '../../src/consensusRpc/table.ts'
import { DEVELOPMENT_METHODS } from '../../src/rpc/methods/development/table.ts'
import { openRpcDocument } from '../../src/rpc/methods/rpc/openRpc.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { eventually, newHome, rpc } from '../support/assay.ts'
import { readExchanges } from '../support/executionApis.ts'
import { rpcRequests, type RpcDocument, type RpcRequest } from '../support/rpcArbitrary.ts'
import {
  createTransports,
  PATIENCE_MS,
  post,
  sentAgain,
  type Answer,
} from '../support/rpcTransports.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from './node.ts'

const REQUESTS = Number(process.env['ASSAY_FUZZ_REQUESTS'] ?? 2000)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Date.now() % 1_000_000)
/** Requests of a turn besides the consensus RPC's, concurrent turns, and turns until the chain starts over. */
const BATCH = 40
const LANES = 12
const TURNS_PER_CHAIN = 500
const TURNS = Math.ceil(REQUESTS / BATCH)
const INSIDE =
  /node_modules|\bat \S+ \(|\.(?:ts|js):\d|TypeError|RangeError|internal error|crashed/i

/** What takes long by its nature: waiting for a block, passphrases, and blocks by the hundred. */
const SELDOM: ReadonlySet<string> = new Set([
  'eth_sendRawTransactionSync',
  'miner_setEtherbase',
  'personal_newAccount',
  'personal_importRawKey',
  'personal_unlockAccount',
  'personal_sendTransaction',
  'personal_signTransaction',
  'personal_sign',
  'personal_initializeWallet',
  'personal_openWallet',
  'personal_unpair',
  'evm_mine',
  'hardhat_mine',
  'anvil_mine',
  'hardhat_reset',
  'anvil_reset',
  'rpc.discover',
])

const VECTORS = path.resolve(
  process.env['ASSAY_VECTORS'] ?? '../shared/vectors',
  'execution-apis/tests',
)
const recorded: readonly RpcRequest[] = fs.existsSync(VECTORS)
  ? readExchanges(VECTORS).map(({ request: { method, params = [] } }) => ({ method, params }))
  : []

let home: string
let node: ChainNode
let began = 0
let urls: NodeUrls
let document: RpcDocument
let promised: ReadonlyMap<string, ValidateFunction>
const known = {
  addresses: [] as string[],
  hashes: [] as string[],
  raws: [] as string[],
  ids: [] as string[],
  passphrase: '',
}

/** Init code that leaves the slot and the log of its block number. */
const WRITER = '0x4343555f5fa000'
/** A contract that stores and logs what it is called with, reverts without input, and calls itself once in between. */
const ECHO =
  '0x6020600c60003960206000f3' +
  '36600557fd5b5f3560015560205f5fa15f5f5f5f5f305af15060015460005260205ff300'

async function ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { result, error } = await rpc(urls.rpc, method, params)
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** Transactions of many kinds, so that requests find something. */
async function fill(): Promise<void> {
  known.addresses.push(...((await ask('eth_accounts')) as string[]).slice(0, 10))
  const [from, , , sender] = known.addresses
  for (const account of [from, sender])
    await ask('personal_unlockAccount', account, known.passphrase, 0)
  const transactions = [
    { to: known.addresses[1], value: '0x1' },
    { data: WRITER, gas: '0x186a0' },
    { data: ECHO, gas: '0x30d40' },
    { to: known.addresses[2], value: '0x2', type: '0x0', gasPrice: '0x77359400' },
  ]
  for (const transaction of transactions) {
    const hash = (await ask('eth_sendTransaction', { from, ...transaction })) as string
    const receipt = (await ask('eth_getTransactionReceipt', hash)) as Record<string, string>
    const { blockHash = '', contractAddress } = receipt
    known.hashes.push(hash, blockHash)
    if (contractAddress) known.addresses.push(contractAddress)
    known.raws.push((await ask('eth_getRawTransactionByHash', hash)) as string)
    known.raws.push((await ask('debug_getRawBlock', blockHash)) as string)
  }
  for (let nonce = 0; nonce < 4; nonce++) {
    const fields = { from: sender, to: from, value: '0x1', gas: '0x5208', nonce: `0x${nonce}` }
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    const signed = await ask('eth_signTransaction', { ...fields, ...fees })
    known.raws.push((signed as { raw: string }).raw)
  }
}

/** The chain goes back to its beginning, whatever was set about it, and gets something to be found. */
async function startOver(): Promise<void> {
  await ask('evm_setIntervalMining', 0)
  await ask('anvil_dropAllTransactions')
  await ask('anvil_reset')
  await ask('evm_setAutomine', true)
  for (const list of [known.addresses, known.hashes, known.raws]) list.length = 0
  await fill()
}

beforeAll(async () => {
  home = newHome()
  known.passphrase = (await completeHome(homePaths(home), {}, { isDevelopment: true })).passphrase
  node = startChainNode(home, {}, [
    '--dev.enable=true',
    '--accounts.unlock-development=true',
    '--accounts.light-scrypt=true',
    '--json-rpc.private=open',
    '--json-rpc.max-subscriptions=20',
    '--metrics.address=127.0.0.1:0',
  ])
  const ready = await node.ready
  if (ready === undefined) throw new Error((await node.ended).output)
  urls = ready
  document = openRpcDocument({ ...METHODS, ...DEVELOPMENT_METHODS }) as RpcDocument
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  promised = new Map(
    document.methods.map(({ name, result }) => [name, ajv.compile(result.schema)] as const),
  )
  began = performance.now()
})
afterAll(async () => {
  // The counts are the result of this test, also of a run that failed.
  const seconds = (performance.now() - began) / 1000
  const without = document.methods.filter(({ name }) => (counts.get(name)?.results ?? 0) === 0)
  console.info(
    [
      `seed ${SEED}: ${countAll()} requests in ${seconds.toFixed()} s, ${(countAll() / seconds).toFixed()} a second`,
      `${counts.size} names, without a result: ${without.map(({ name }) => name).join(' ')}`,
      JSON.stringify(Object.fromEntries(counts)),
    ].join('\n'),
  )
  await stopChainNode(node)
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

const counts = new Map<string, { results: number; errors: number }>()

function count(name: string, isResult: boolean): void {
  const { results, errors } = counts.get(name) ?? { results: 0, errors: 0 }
  counts.set(name, isResult ? { results: results + 1, errors } : { results, errors: errors + 1 })
}

function judge({ method, params }: RpcRequest, { result, error }: Answer): void {
  count(method, error === undefined)
  const fail = (what: string) =>
    expect.fail(
      `${what}: ${method} ${JSON.stringify(params)} -> ${JSON.stringify(error ?? result)}`,
    )
  if (error !== undefined) {
    // go-ethereum gives some invalid simulations the code of an internal error too.
    if (INSIDE.test(error.message)) fail('an internal error, or the inside shows')
    return
  }
  if (result === undefined) fail('neither result nor error')
  const fits = promised.get(method)
  if (fits && !fits(result)) fail(`not as promised (${JSON.stringify(fits.errors?.[0])})`)
  if (/^eth_(?:new|subscribe)/.test(method) && known.ids.length < 100_000)
    known.ids.push(String(result))
}

/** An answer for each, whatever the order. */
function judgeAll(requests: readonly RpcRequest[], answers: readonly Answer[]): void {
  expect(answers.length).toBe(requests.length)
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  for (const [id, request] of requests.entries()) {
    const answer = byId.get(id)
    if (answer === undefined) expect.fail(`no answer: ${JSON.stringify(request)}`)
    else judge(request, answer)
  }
}

const envelopes = (requests: readonly RpcRequest[]): readonly string[] =>
  requests.map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }))

const uriValue = fc.oneof(
  fc.constantFrom('', '""', '1', '0', '-1', '0x', '0xzz', '"tm.event=\'Tx\'"', 'true', '[]'),
  fc.nat(20).map(String),
  fc.stringMatching(/^"?0x[0-9a-f]{0,70}"?$/),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
/** Waiting for a block is what the first one is for; the others are the node's end of a WebSocket. */
const cometNames = [...cometTable.keys()].filter((name) => name !== 'broadcast_tx_commit')
const cometQuery = fc.record({
  name: fc.constantFrom(...cometNames),
  values: fc.array(uriValue, { maxLength: 5 }),
})

async function askComet(name: string, values: readonly string[], isUri: boolean): Promise<void> {
  const names = Object.keys(cometTable.get(name)?.args ?? {})
  const pairs = names.map((key, at) => [key, values[at] ?? ''] as const)
  const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: name,
    params: Object.fromEntries(pairs),
  })
  const response = await sentAgain(() =>
    isUri
      ? fetch(`${urls.comet}/${name}?${query}`, { signal })
      : fetch(urls.comet, { method: 'POST', body, signal }),
  )
  const text = await response.text()
  // CometBFT itself calls the caller's errors internal; a fault in the node says so in its data.
  if (text.includes('a fault in the node') || INSIDE.test(text.replaceAll('Internal error', '')))
    expect.fail(`the inside shows: ${name} ${query} -> ${text}`)
  count('consensus RPC', true)
}

/** A text with one place of it spoilt: whatever it is now, there is an answer, and it is no internal error. */
async function askSpoilt(text: string, at: number, other: string): Promise<void> {
  const place = at % (text.length + 1)
  const body = text.slice(0, place) + other + text.slice(place + (at % 3))
  const answer = await post(urls.rpc, body)
  // The description of all methods has patterns that look like what is searched for.
  if (!answer.includes('"openrpc"') && INSIDE.test(answer)) expect.fail(`${body} -> ${answer}`)
  count('spoilt texts', true)
}

/** Milliseconds of the node's time that calls of each method took in all, and the mean; the most first. */
async function slowest(): Promise<readonly string[]> {
  const text = await (await fetch(`${urls.metrics}/metrics`)).text()
  const sums = new Map<string, { sum: number; count: number }>()
  const pattern = /^assay_rpc_request_seconds_(sum|count)\{method="([^"]+)".*\} (\S+)$/gm
  for (const [, kind = '', method = '', value] of text.matchAll(pattern)) {
    const entry = sums.get(method) ?? { sum: 0, count: 0 }
    sums.set(method, { ...entry, [kind]: entry[kind as 'sum' | 'count'] + Number(value) })
  }
  return [...sums]
    .toSorted(([, a], [, b]) => b.sum - a.sum)
    .map(([method, { sum, count: calls }]) => {
      return `${method} ${Math.round(sum * 1000)} (${((sum * 1000) / calls).toFixed(1)} each)`
    })
}

function countAll(): number {
  return [...counts.values()].reduce((sum, { results, errors }) => sum + results + errors, 0)
}

test(
  `${REQUESTS} requests get their answers`,
  async () => {
    const lanes = Array.from({ length: LANES }, () => createTransports({ ...urls, home }))
    const turns = fc.record({
      list: fc.array(rpcRequests(document, known, recorded, SELDOM), {
        minLength: BATCH,
        maxLength: BATCH,
      }),
      transport: fc.oneof(
        ...Object.keys(lanes[0] ?? {}).map((name) => ({
          // Requests one by one cost the client most of the time that the others take in all.
          weight: name === 'HTTP, one each' ? 1 : 2,
          arbitrary: fc.constant(name),
        })),
      ),
      comet: fc.array(fc.tuple(cometQuery, fc.boolean()), { maxLength: 4 }),
      spoilt: fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 2 })),
    })
    const taken = { count: 0 }
    const takeTurns = async (transports: (typeof lanes)[number], end: number): Promise<void> => {
      while (taken.count < end) {
        // A seed for each turn: what it asks does not depend on how fast others were.
        const seed = SEED * 1_000_000 + taken.count++
        for (const { list, transport, comet, spoilt } of fc.sample(turns, { seed, numRuns: 1 })) {
          const texts = envelopes(list)
          judgeAll(list, (await transports[transport]?.(texts)) ?? [])
          for (const [{ name, values }, isUri] of comet) await askComet(name, values, isUri)
          await askSpoilt(texts[0] ?? '', ...spoilt)
        }
      }
    }
    for (let end = TURNS_PER_CHAIN; end < TURNS + TURNS_PER_CHAIN; end += TURNS_PER_CHAIN) {
      await startOver()
      await Promise.all(lanes.map((transports) => takeTurns(transports, Math.min(end, TURNS))))
      // The chain may be in any state; it still answers, and makes blocks.
      await ask('evm_setAutomine', true)
      const before = Number(await ask('eth_blockNumber'))
      await ask('evm_mine')
      await eventually(async () =>
        Number(await ask('eth_blockNumber')) > before ? true : undefined,
      )
    }
    expect(node.process.exitCode).toBeNull()
    console.info(`the node's time, in ms: ${(await slowest()).slice(0, 30).join(', ')}`)
    expect(countAll()).toBeGreaterThanOrEqual(REQUESTS)
  },
  120_000 + REQUESTS * 20,
)

test('nothing of it was logged as an error', async () => {
  node.process.kill('SIGTERM')
  const { code, output } = await node.ended
  expect(output).not.toMatch(/"level":[56]0/)
  expect(code).toBe(0)
})
