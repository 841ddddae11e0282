/**
 * Requests of every JSON-RPC method, made from the node's own OpenRPC document and out of recorded ones, fitting, nearly
 * fitting and hostile, over HTTP, WebSocket and the IPC socket; and of every endpoint of the consensus RPC. Each gets its
 * answer, none is an internal error, and each result has the promised shape. 2,000 requests, or ASSAY_FUZZ_REQUESTS of
 * them; ASSAY_FUZZ_SEED repeats a run.
 */
import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { cometTable } from '../../src/rpc/comet/table.ts'
import { DEVELOPMENT_METHODS } from '../../src/rpc/development/table.ts'
import { openRpcDocument } from '../../src/rpc/openRpc.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { eventually, newHome, rpc } from '../support/assay.ts'
import { readExchanges } from '../support/executionApis.ts'
import { openIpc, openWebSocket, type Line } from '../support/lines.ts'
import { rpcRequests, type RpcDocument, type RpcRequest } from '../support/rpcArbitrary.ts'
import { startChainNode, stopChainNode, type ChainNode, type NodeUrls } from './node.ts'

const REQUESTS = Number(process.env['ASSAY_FUZZ_REQUESTS'] ?? 2000)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Date.now() % 1_000_000)
const BATCH = 40
/** Turns at the same time. */
const LANES = 8

/** A hang is a failure. Passphrases that are wrong wait for some seconds (D43), and so do all that come after. */
const PATIENCE_MS = 90_000
const INSIDE = /node_modules|\bat \S+ \(|\.(?:ts|js):\d|TypeError|RangeError|internal error/i

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
  known.addresses.push(...((await ask('eth_accounts')) as string[]))
  const [from] = known.addresses
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
  }
  const sender = known.addresses[3]
  for (let nonce = 0; nonce < 4; nonce++) {
    const fields = { from: sender, to: from, value: '0x1', gas: '0x5208', nonce: `0x${nonce}` }
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    const signed = await ask('eth_signTransaction', { ...fields, ...fees })
    known.raws.push((signed as { raw: string }).raw)
  }
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
  ])
  const ready = await node.ready
  if (ready === undefined) throw new Error((await node.ended).output)
  urls = ready
  document = openRpcDocument({ ...METHODS, ...DEVELOPMENT_METHODS }) as RpcDocument
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  promised = new Map(
    document.methods.map(({ name, result }) => [name, ajv.compile(result.schema)] as const),
  )
  await fill()
}, 120_000)
afterAll(async () => {
  await stopChainNode(node)
  fs.rmSync(path.dirname(home), { recursive: true, force: true })
})

type Answer = {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

const counts = new Map<string, { results: number; errors: number }>()
/** The longest time that a request of a method took, in milliseconds. */
const slowest = new Map<string, number>()

function judge({ method, params }: RpcRequest, { result, error }: Answer): void {
  const count = counts.get(method) ?? { results: 0, errors: 0 }
  counts.set(method, count)
  const fail = (what: string) =>
    expect.fail(
      `${what}: ${method} ${JSON.stringify(params)} -> ${JSON.stringify(error ?? result)}`,
    )
  if (error !== undefined) {
    count.errors++
    // go-ethereum gives some invalid simulations the code of an internal error too.
    if (INSIDE.test(error.message)) fail('an internal error, or the inside shows')
    return
  }
  count.results++
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

async function post(url: string, body: string): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await sentAgain(() => fetch(url, { method: 'POST', headers, body, signal }))
    expect(response.status).toBe(200)
    return await response.text()
  } catch (error) {
    return expect.fail(`${String(error)}: ${body}`)
  }
}

const envelopes = (requests: readonly RpcRequest[]): readonly string[] =>
  requests.map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }))

/** Sends texts and waits for as many answers; notifications do not count. */
function exchange(line: Line, texts: readonly string[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = []
    const timer = setTimeout(() => {
      const ids = new Set(answers.map(({ id }) => id))
      reject(new Error(`no answer: ${texts.filter((_, id) => !ids.has(id)).join(' ')}`))
    }, PATIENCE_MS)
    line.onMessage = (text) => {
      const answer = JSON.parse(text) as Answer
      if (answer.method !== undefined) return
      if (answers.push(answer) < texts.length) return
      clearTimeout(timer)
      resolve(answers)
    }
    for (const text of texts) line.send(text)
  })
}

/** A connection for some hundred turns, then another one: what it subscribed to goes with it. */
function renewed(open: () => Promise<Line>): (texts: readonly string[]) => Promise<Answer[]> {
  let line: Line | undefined
  let turns = 0
  return async (texts) => {
    if (turns++ % 200 === 0) {
      line?.close()
      line = await open()
    }
    if (line === undefined) throw new Error('no connection')
    return exchange(line, texts)
  }
}

type Transport = (texts: readonly string[]) => Promise<Answer[]>

async function askOne(text: string): Promise<Answer> {
  const started = performance.now()
  const answer = JSON.parse(await post(urls.rpc, text)) as Answer
  const { method } = JSON.parse(text) as RpcRequest
  const took = Math.round(performance.now() - started)
  slowest.set(method, Math.max(took, slowest.get(method) ?? 0))
  return answer
}

/** Turns that run at the same time have connections of their own. */
function createLane(): Readonly<Record<string, Transport>> {
  const overProfile = renewed(() => openWebSocket(`${urls.ws}/ethereum`))
  return {
    'HTTP, one each': (texts) => Promise.all(texts.map(askOne)),
    'HTTP, as a batch': async (texts) =>
      JSON.parse(await post(`${urls.rpc}/ethereum`, `[${texts.join()}]`)) as Answer[],
    WebSocket: renewed(() => openWebSocket(urls.ws)),
    'WebSocket, as a batch': async (texts) => (await overProfile([`[${texts.join()}]`])).flat(),
    IPC: renewed(() => openIpc(path.join(home, 'assay.ipc'))),
  }
}

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

/** A connection that was idle may be closed by the server while the client takes it up again: then there is another one. */
async function sentAgain(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    if ((error as { cause?: { code?: string } }).cause?.code !== 'UND_ERR_SOCKET') throw error
    return send()
  }
}

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
  // CometBFT itself calls the caller's errors internal; a fault of the node says so in its data.
  if (text.includes('a fault of the node') || INSIDE.test(text.replaceAll('Internal error', '')))
    expect.fail(`the inside shows: ${name} ${query} -> ${text}`)
  counts.set('consensus RPC', {
    results: (counts.get('consensus RPC')?.results ?? 0) + 1,
    errors: 0,
  })
}

/** A text with one place of it spoilt: whatever it is now, there is an answer, and it is no internal error. */
async function askSpoilt(text: string, at: number, other: string): Promise<void> {
  const place = at % (text.length + 1)
  const body = text.slice(0, place) + other + text.slice(place + (at % 3))
  const answer = await post(urls.rpc, body)
  // The description of all methods has patterns that look like what is searched for.
  if (!answer.includes('"openrpc"') && INSIDE.test(answer)) expect.fail(`${body} -> ${answer}`)
  counts.set('spoilt texts', { results: (counts.get('spoilt texts')?.results ?? 0) + 1, errors: 0 })
}

test(
  `${REQUESTS} requests get their answers`,
  async () => {
    const started = performance.now()
    const requests = fc.array(rpcRequests(document, known, recorded, SELDOM), {
      minLength: BATCH,
      maxLength: BATCH,
    })
    const turn = fc.record({
      list: requests,
      transport: fc.constantFrom(...Object.keys(createLane())),
      comet: fc.array(fc.tuple(cometQuery, fc.boolean()), { maxLength: 4 }),
      spoilt: fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 2 })),
    })
    const lanes = Array.from({ length: LANES }, createLane)
    let total = 0
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: LANES, maxLength: LANES }), async (turns) => {
        await Promise.all(
          turns.map(async ({ list, transport, comet, spoilt: [at, other] }, lane) => {
            const texts = envelopes(list)
            judgeAll(list, (await lanes[lane]?.[transport]?.(texts)) ?? [])
            for (const [{ name, values }, isUri] of comet) await askComet(name, values, isUri)
            await askSpoilt(texts[0] ?? '', at, other)
            total += list.length + comet.length + 1
          }),
        )
      }),
      { numRuns: Math.ceil(REQUESTS / (LANES * (BATCH + 3))), seed: SEED, endOnFailure: true },
    )
    // The chain may be in any state; it still answers, and makes blocks.
    await ask('evm_setAutomine', true)
    const before = Number(await ask('eth_blockNumber'))
    await ask('evm_mine')
    await eventually(async () => (Number(await ask('eth_blockNumber')) > before ? true : undefined))
    expect(node.process.exitCode).toBeNull()
    const without = document.methods.filter(({ name }) => (counts.get(name)?.results ?? 0) === 0)
    const seconds = Math.round((performance.now() - started) / 1000)
    // The counts are the result of this test: a run without them says nothing.
    const slow = [...slowest].sort(([, a], [, b]) => b - a).slice(0, 10)
    console.info(`slowest, in ms: ${slow.map((each) => each.join(' ')).join(', ')}`)
    console.info(
      `seed ${SEED}: ${total} requests in ${seconds} s, ${counts.size} names, without a result: ` +
        `${without.map(({ name }) => name).join(' ')}\n${JSON.stringify(Object.fromEntries(counts))}`,
    )
    expect(total).toBeGreaterThanOrEqual(REQUESTS)
  },
  120_000 + REQUESTS * 20,
)

test('nothing of it was logged as an error', async () => {
  node.process.kill('SIGTERM')
  const { code, output } = await node.ended
  expect(output).not.toMatch(/"level":[56]0/)
  expect(code).toBe(0)
})
