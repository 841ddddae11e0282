// What `mempool.durable` costs: transactions sent one by one over 64 connections, and in batches, with it and without it in
// turns on new chains. Every acknowledgement with it is synced to disk.
// Build first (node scripts/build.mjs), then: node bench/durable.mjs [transactions] [rounds]
import { startAssay } from './peers/assay.mjs'
import { batchRequest, request } from './support/jsonRpc.mjs'
import { each, load } from './support/load.mjs'
import { awaitMined, startCount } from './support/mined.mjs'
import { signedTransactions } from './support/signed.mjs'
import { tableLines } from './support/table.mjs'

const BATCH = 100
const LIMIT_SECONDS = 120

const [transactions = '20000', rounds = '5'] = process.argv.slice(2)
const count = Number(transactions)
const warmUp = count / 10
const raws = signedTransactions('transfer', count + warmUp)

const single = (some) => some.map((raw) => request('eth_sendRawTransaction', [raw]))
const batched = (some) =>
  Array.from({ length: Math.ceil(some.length / BATCH) }, (_, i) =>
    batchRequest(
      some.slice(i * BATCH, (i + 1) * BATCH).map((raw) => ['eth_sendRawTransaction', [raw]]),
    ),
  )

const LOADS = [
  { name: 'one by one, 64 connections', pack: single, connections: 64 },
  { name: `batches of ${BATCH}, 4 connections`, pack: batched, connections: 4 },
]

/** Rates accepted and mined per second, and processor microseconds per transaction until all are mined. */
async function measure({ pack, connections }, isDurable) {
  const chain = { blockGasLimit: 1_000_000_000n, poolSize: count + warmUp }
  const node = await startAssay(chain, { 'mempool.durable': String(isDurable) })
  const send = async (requests, some) => {
    const before = await startCount(node.port)
    const [cpu, began] = [node.cpuSeconds(), performance.now()]
    const sent = await load(node.port, connections, each(requests, LIMIT_SECONDS))
    if (sent.failures > 0) throw new Error(`refused: ${sent.firstFailures[0]}`)
    const isOver = () => performance.now() - began > LIMIT_SECONDS * 1000
    const { mined, at } = await awaitMined(before, some, isOver)
    return {
      accepted: some / sent.seconds,
      mined: (mined * 1000) / (at - began),
      micros: ((node.cpuSeconds() - cpu) * 1e6) / some,
    }
  }
  try {
    await send(pack(raws.slice(0, warmUp)), warmUp)
    return await send(pack(raws.slice(warmUp)), count)
  } finally {
    await node.stop()
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const rows = [['', '', 'accepted/s', 'mined/s', 'CPU us each']]
for (const each of LOADS) {
  const results = { on: [], off: [] }
  for (let round = 0; round < Number(rounds); round++)
    for (const name of ['off', 'on']) results[name].push(await measure(each, name === 'on'))
  for (const [name, values] of Object.entries(results)) {
    const of = (key) => median(values.map((value) => value[key])).toFixed(0)
    rows.push([each.name, `durable ${name}`, of('accepted'), of('mined'), of('micros')])
  }
}
process.stdout.write(`${tableLines(rows).join('\n')}\n`)
