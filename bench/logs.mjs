// eth_getLogs over 10,000 logs in ten transactions: all of them, and a hundred that share a topic.
import { word } from './support/abi.mjs'
import { LOOPS } from './support/chain.mjs'
import { call, request } from './support/jsonRpc.mjs'
import { each, load } from './support/load.mjs'
import { awaitMined, startCount } from './support/mined.mjs'
import { measureRate } from './support/rate.mjs'
import { signedPings } from './support/signed.mjs'

const TRANSACTIONS = 10
const LOGS = 10_000
const LIMIT_MS = 30_000

/** What all of them are found with. */
export const FILTER = { fromBlock: '0x0', toBlock: 'latest', address: LOOPS }

/** One of the hundred values of an indexed field. */
export const BUCKET = { ...FILTER, topics: [null, null, `0x${word(7)}`] }

/** Fills a chain that nobody sent a transaction to before. Throws when a log is missing. */
export async function emitLogs(peer) {
  const began = performance.now()
  const count = await startCount(peer.port)
  const requests = signedPings(TRANSACTIONS, LOGS / TRANSACTIONS).map((raw) =>
    request('eth_sendRawTransaction', [raw]),
  )
  const { failures, firstFailures } = await load(peer.port, 1, each(requests, LIMIT_MS / 1000))
  if (failures > 0) throw new Error(`${peer.name} refuses: ${firstFailures[0]}`)
  await awaitMined(count, TRANSACTIONS, () => performance.now() - began > LIMIT_MS)
  const { length } = await call(peer.port, 'eth_getLogs', [FILTER])
  if (length !== LOGS) throw new Error(`${peer.name} has ${length} logs, not ${LOGS}`)
}

/** Measures the rows on running peers with new chains. */
export async function measureLogs({ peers, options, add }) {
  for (const peer of peers) await emitLogs(peer)
  add({
    name: `eth_getLogs of ${LOGS} logs`,
    unit: 'answers/s',
    values: await measureRate(peers, options, [request('eth_getLogs', [FILTER])], {
      connections: 1,
    }),
    least: 3,
    aim: 5,
  })
  add({
    name: `eth_getLogs of ${LOGS / 100} among ${LOGS} logs`,
    unit: 'answers/s',
    values: await measureRate(peers, options, [request('eth_getLogs', [BUCKET])], {
      connections: 1,
    }),
  })
}
