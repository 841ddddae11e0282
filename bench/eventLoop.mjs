// How late the main thread is while it takes in, executes and stores transactions as fast as clients send them: node
// bench/eventLoop.mjs [transactions of each kind]. 20 ms is the most that it should be, but once in a thousand looks.
import { freePort } from '../dist/base/freePorts.js'
import { startAssay } from './peers/assay.mjs'
import { request } from './support/jsonRpc.mjs'
import { each, load } from './support/load.mjs'
import { awaitMined, startCount } from './support/mined.mjs'
import { scrape } from './support/prometheus.mjs'
import { signedTransactions } from './support/signed.mjs'

const COUNT = Number(process.argv[2] ?? 40_000)
const CONNECTIONS = 64
const LONGEST_SECONDS = 240
const QUANTILES = ['0.5', '0.99', '0.999', '1']

/** How many transactions of one kind were mined, and the quantiles of the delay in milliseconds meanwhile. */
async function measure(kind) {
  const requests = signedTransactions(kind, COUNT).map((raw) =>
    request('eth_sendRawTransaction', [raw]),
  )
  const metricsPort = await freePort()
  const peer = await startAssay(
    { blockGasLimit: 1_000_000_000n, poolSize: COUNT },
    { 'metrics.address': `127.0.0.1:${metricsPort}` },
  )
  try {
    const countMined = await startCount(peer.port)
    // Each scrape resets the quantiles: the start is not part of them.
    await scrape(metricsPort)
    const sent = await load(peer.port, CONNECTIONS, each(requests, LONGEST_SECONDS))
    const { mined } = await awaitMined(countMined, sent.answers - sent.failures, () => false)
    const samples = await scrape(metricsPort)
    const late = QUANTILES.map(
      (quantile) => samples.get(`assay_event_loop_delay_seconds{quantile="${quantile}"}`) * 1000,
    )
    return { mined, late }
  } finally {
    await peer.stop()
  }
}

console.log('| transactions | mined | p50 ms | p99 ms | p99.9 ms | longest ms |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const kind of ['transfer', 'token']) {
  const { mined, late } = await measure(kind)
  console.log(`| ${[kind, mined, ...late.map((ms) => ms.toFixed(1))].join(' | ')} |`)
}
