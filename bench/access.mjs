// What namespaces, limits and tokens cost: processor time of a node per request with all of them, against one that serves the
// one namespace of the request to anybody. Medians of rounds in turns, the node that is not measured paused.
// Build first (node scripts/build.mjs), then: node bench/access.mjs [rounds] [seconds]
import { homePaths } from '../dist/config/home.js'
import { createToken } from '../dist/wire/token.js'
import { loadTokenSecret } from '../dist/wire/tokenSecret.js'
import { startAssay } from './peers/assay.mjs'
import { callData } from './support/abi.mjs'
import { senders, TOKEN } from './support/chain.mjs'
import { request } from './support/jsonRpc.mjs'
import { load, repeatedFor } from './support/load.mjs'
import { inTurns, withCpu } from './support/measure.mjs'
import { tableLines } from './support/table.mjs'

const [rounds = '15', seconds = '1'] = process.argv.slice(2)
const CONNECTIONS = 16
const CHAIN = { blockGasLimit: 30_000_000n }

/** Limits that are off, or empty, by default. */
const LIMITS = {
  'json-rpc.logs-range': '1000',
  'json-rpc.hosts': 'localhost',
  'json-rpc.cors-origins': 'https://example.org',
  'json-rpc.ws-origins': 'https://example.org',
}

const ROWS = {
  eth_blockNumber: [[]],
  eth_getBalance: senders.map((address) => [address, 'latest']),
  eth_call: senders.map((address) => [
    { to: TOKEN, data: callData('balanceOf(address)', address) },
    'latest',
  ]),
}

function tokenOf({ folder }) {
  const secret = loadTokenSecret(homePaths(folder).jwtSecret)
  const now = Math.floor(Date.now() / 1000)
  return createToken(secret, { scope: ['*'], ttl: 86_400, name: 'bench', now })
}

const least = { ...(await startAssay(CHAIN, { 'json-rpc.api': 'eth' })), name: 'least' }
const all = { ...(await startAssay(CHAIN, LIMITS)), name: 'all' }
const withoutToken = { ...all, name: 'all, no token' }
const headers = { least: [], 'all, no token': [], all: [`Authorization: Bearer ${tokenOf(all)}`] }

const peers = [least, withoutToken, all]
const lines = []
for (const [method, paramsList] of Object.entries(ROWS)) {
  const requests = Object.fromEntries(
    peers.map(({ name }) => [name, paramsList.map((each) => request(method, each, headers[name]))]),
  )
  const send = async (peer, duration) => {
    const next = repeatedFor(duration, requests[peer.name], CONNECTIONS)
    const { answers, failures, firstFailures } = await load(peer.port, CONNECTIONS, next)
    if (failures > 0) throw new Error(firstFailures[0])
    return { count: answers }
  }
  const values = await inTurns(peers, Number(rounds), async (peer) => {
    await send(peer, Number(seconds) / 4)
    const { count, cpuMicros } = await withCpu(peer, () => send(peer, Number(seconds)))
    return { value: count, cpuMicros }
  })
  const micros = peers.map(({ name }) => values[name].cpuMicros)
  const more = micros.map((each) => `${((each / micros[0] - 1) * 100).toFixed(1)} %`)
  lines.push([method, ...micros.map((each) => each.toFixed(1)), ...more.slice(1)])
}
for (const peer of [least, all]) await peer.stop()
const head = ['us of processor time', 'eth alone', 'all, no token', 'all, with one', '', '']
process.stdout.write(`${tableLines([head, ...lines]).join('\n')}\n`)
