// Where our node spends its time under one kind of load: node bench/profile.mjs SCENARIO [seconds or transactions]
// The .cpuprofile files, one for each thread, stay in runtime/profiles/ for a viewer.
import fs from 'node:fs'
import path from 'node:path'
import { BUCKET, emitLogs, FILTER } from './logs.mjs'
import { startAssay } from './peers/assay.mjs'
import { mineLoop } from './steps.mjs'
import { callData } from './support/abi.mjs'
import { senders, TOKEN } from './support/chain.mjs'
import { summariseProfiles } from './support/cpuProfile.mjs'
import { batchRequest, request } from './support/jsonRpc.mjs'
import { each, load, repeatedFor } from './support/load.mjs'
import { awaitMined, startCount } from './support/mined.mjs'
import { signedTransactions } from './support/signed.mjs'

const CONNECTIONS = 64
const LONGEST_SECONDS = 120
const FUNCTIONS = 35

/** Sends the requests over and over for some seconds. */
async function repeat(peer, requests, seconds = 5, connections = CONNECTIONS) {
  return await load(peer.port, connections, repeatedFor(seconds, requests, connections))
}

/** Sends so many transactions and waits until they are mined. */
async function sendAll(peer, kind, count = 5_000) {
  const countMined = await startCount(peer.port)
  const requests = signedTransactions(kind, count).map((raw) =>
    request('eth_sendRawTransaction', [raw]),
  )
  const sent = await load(peer.port, CONNECTIONS, each(requests, LONGEST_SECONDS))
  await awaitMined(countMined, sent.answers - sent.failures, () => false)
  return sent
}

const balances = senders.map((address) => request('eth_getBalance', [address, 'latest']))
const batches = [
  batchRequest(senders.slice(0, 100).map((address) => ['eth_getBalance', [address, 'latest']])),
]
const calls = senders.map((address) =>
  request('eth_call', [{ to: TOKEN, data: callData('balanceOf(address)', address) }, 'latest']),
)

/** Loads by name, each with its size. */
const SCENARIOS = {
  start: async () => ({ answers: 1, failures: 0, firstFailures: [], seconds: 0 }),
  blockNumber: (peer, seconds) => repeat(peer, [request('eth_blockNumber')], seconds),
  balance: (peer, seconds) => repeat(peer, balances, seconds),
  batch: (peer, seconds) => repeat(peer, batches, seconds, 4),
  call: (peer, seconds) => repeat(peer, calls, seconds),
  transfers: (peer, count) => sendAll(peer, 'transfer', count),
  tokens: (peer, count) => sendAll(peer, 'token', count),
  async logs(peer, seconds) {
    await emitLogs(peer)
    return await repeat(peer, [request('eth_getLogs', [FILTER])], seconds, 1)
  },
  async fewLogs(peer, seconds) {
    await emitLogs(peer)
    return await repeat(peer, [request('eth_getLogs', [BUCKET])], seconds, 1)
  },
  async steps(peer, seconds) {
    const { hash } = await mineLoop(peer)
    return await repeat(peer, [request('debug_traceTransaction', [hash])], seconds, 1)
  },
}

const [name, size] = process.argv.slice(2)
const scenario = SCENARIOS[name]
if (scenario === undefined) throw new Error(`name one of: ${Object.keys(SCENARIOS).join(', ')}`)

const folder = path.resolve(import.meta.dirname, '..', 'runtime', 'profiles', name)
fs.rmSync(folder, { recursive: true, force: true })
fs.mkdirSync(folder, { recursive: true })
const began = performance.now()
const peer = await startAssay(
  { blockGasLimit: 1_000_000_000n, poolSize: 200_000 },
  { nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${folder}`] },
)
const fromMs = name === 'start' ? 0 : performance.now() - began
const cpuBefore = name === 'start' ? 0 : peer.cpuSeconds()
const { answers, failures, firstFailures, seconds } = await scenario(peer, size && Number(size))
const cpu = ((peer.cpuSeconds() - cpuBefore) * 1e6) / answers
await peer.stop()
process.stdout.write(
  [
    `## ${name}`,
    '',
    `${answers} answers in ${seconds.toFixed(1)} s, ${failures} of them errors${failures > 0 ? `: ${firstFailures[0]}` : ''}; ${cpu.toFixed(0)} us of processor time each (with the profiler).`,
    '',
    summariseProfiles(folder, { fromMs, count: FUNCTIONS }),
  ].join('\n'),
)
