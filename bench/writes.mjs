// Transactions: how fast they are accepted, how fast they are mined, and what is kept of them in memory. Every measurement
// has a new chain, so that all send the same transactions.
import { batchRequest, request } from './support/jsonRpc.mjs'
import { each, load } from './support/load.mjs'
import { inTurnsAnew, summaryOf, withCpu } from './support/measure.mjs'
import { awaitMined, startCount } from './support/mined.mjs'
import { signedTransactions } from './support/signed.mjs'

/** So large that time and not gas limits a block: 47,000 transfers. Equal for all. */
const LARGE_BLOCK = 1_000_000_000n
const DEFAULT_BLOCK = 30_000_000n
const BATCH = 100
/** Longest unmeasured beginning, in seconds. */
const WARM_UP_LIMIT = 40
/** Rounds of runs that take long by themselves. */
const LONG_ROUNDS = 2

const single = (raws) => raws.map((raw) => request('eth_sendRawTransaction', [raw]))

function batched(raws) {
  const starts = Array.from({ length: Math.ceil(raws.length / BATCH) }, (_, i) => i * BATCH)
  return starts.map((start) =>
    batchRequest(raws.slice(start, start + BATCH).map((raw) => ['eth_sendRawTransaction', [raw]])),
  )
}

const notesOf = (texts) => ({
  note: texts.filter((text) => text !== undefined).join('; ') || undefined,
})

/** Sends everything and waits until it is mined, or the time is over. */
async function sendAndMine(peer, { requests, perRequest, connections, seconds }) {
  const count = await startCount(peer.port)
  const began = performance.now()
  const isOver = () => performance.now() - began > seconds * 1000
  let sent
  const { mined, at, cpuMicros, accepting } = await withCpu(peer, async () => {
    const accepting = await withCpu(peer, async () => {
      sent = await load(peer.port, connections, each(requests, seconds))
      return { count: (sent.answers - sent.failures) * perRequest }
    })
    const result = await awaitMined(count, accepting.count, isOver)
    return { ...result, accepting, count: result.mined }
  })
  const refused =
    sent.failures > 0 ? `${sent.failures} refused: ${sent.firstFailures[0]}` : undefined
  const missing = mined < accepting.count ? `${mined} of ${accepting.count} mined` : undefined
  return {
    accepted: {
      value: accepting.count / sent.seconds,
      cpuMicros: accepting.cpuMicros,
      ...notesOf([refused]),
    },
    mined: {
      value: (mined * 1000) / (at - began),
      cpuMicros,
      ...notesOf([refused, missing]),
    },
    memory: { value: peer.residentBytes() / 1e6, ...notesOf([missing]) },
  }
}

/**
 * New chains in turns: a tenth of the transactions as an unmeasured beginning, then the others as fast as they are taken.
 * `run` has their kind and number, `connections`, how many go into one request, and the chain.
 */
async function measureRuns(starters, { rounds, writeLimit }, run) {
  const { kind, count, connections, perRequest, chain } = run
  const warmUp = count / 10
  const raws = signedTransactions(kind, count + warmUp)
  const pack = perRequest === 1 ? single : batched
  const before = { requests: single(raws.slice(0, warmUp)), perRequest: 1, seconds: WARM_UP_LIMIT }
  const measured = { requests: pack(raws.slice(warmUp)), perRequest, seconds: writeLimit }
  const start = { ...chain, poolSize: Math.max(20_000, count + warmUp) }
  return await inTurnsAnew(starters(start), Math.min(rounds, LONG_ROUNDS), async (peer) => {
    const { mined } = await sendAndMine(peer, { ...before, connections: 64 })
    // What is missing would leave gaps in the nonces, and everything behind them waiting.
    if (mined.note !== undefined) throw new Error(`warm-up: ${mined.note}`)
    return await sendAndMine(peer, { ...measured, connections })
  })
}

/** Measures the rows on peers that `starters(chain)` starts. */
export async function measureWrites({ starters, options, add }) {
  const { transactions, oneByOne } = options
  const large = { blockGasLimit: LARGE_BLOCK, blockTime: 1 }
  const sustained = { kind: 'transfer', count: transactions, perRequest: 1, chain: large }
  const measure = async (run) => await measureRuns(starters, options, { ...sustained, ...run })

  const transfers = await measure({ connections: 64 })
  add({
    name: 'eth_sendRawTransaction accepted, 64 connections',
    unit: 'accepted/s',
    values: summaryOf(transfers, 'accepted'),
    least: 1,
    aim: 1.6,
  })
  const batches = await measure({ connections: 4, perRequest: BATCH })
  add({
    name: `eth_sendRawTransaction accepted, batches of ${BATCH}, 4 connections`,
    unit: 'accepted/s',
    values: summaryOf(batches, 'accepted'),
    least: 1,
    aim: 1.6,
  })
  add({
    name: `${transactions} transfers, 64 connections`,
    unit: 'mined/s',
    values: summaryOf(transfers, 'mined'),
    least: 1,
    aim: 1.6,
  })
  const tokens = await measure({ kind: 'token', connections: 64 })
  add({
    name: `${transactions} ERC-20 transfers, 64 connections`,
    unit: 'mined/s',
    values: summaryOf(tokens, 'mined'),
    least: 1,
    aim: 1.6,
  })
  const asTheyCome = await measure({
    count: oneByOne,
    connections: 64,
    chain: { blockGasLimit: DEFAULT_BLOCK },
  })
  add({
    name: `${oneByOne} transfers mined as they come (anvil: automine), 64 connections`,
    unit: 'mined/s',
    values: summaryOf(asTheyCome, 'mined'),
    least: 5,
    aim: 10,
  })
  add({
    name: `memory after ${transactions} transfers`,
    unit: 'MB',
    values: summaryOf(transfers, 'memory'),
    isLowerBetter: true,
    least: 0.7,
    aim: 0.55,
  })
}
