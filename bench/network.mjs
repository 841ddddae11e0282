// A network of four real CometBFT validators on this machine: transfers and ERC-20 transfers over JSON-RPC to all four, until
// each is in a block on all four. The same load on one node with the embedded engine, and where the time goes.
// Build first (node scripts/build.mjs), then: node bench/network.mjs [transfers] [ERC-20] [million gas per block] [interval]
// CometBFT v0.38.25 must be on the PATH, or named by ASSAY_COMETBFT; without it nothing is measured.
import { requireCometbft } from '../dist/consensus/cometbft/binary.js'
import { startAssay } from './peers/assay.mjs'
import { COMETBFT, startLocalnet } from './peers/localnet.mjs'
import { hashOf, watchInclusion } from './support/inclusion.mjs'
import { request } from './support/jsonRpc.mjs'
import { each, load } from './support/load.mjs'
import { growth } from './support/prometheus.mjs'
import { signedTransactions } from './support/signed.mjs'
import { tableLines } from './support/table.mjs'

const VALIDATORS = 4
/** In all, shared by the nodes. */
const CONNECTIONS = 64
const LIMIT_SECONDS = 600

const [transfers = '5000', tokens = '2000', millionGas = '30', blockInterval = '1s'] =
  process.argv.slice(2)
const LOADS = [
  { kind: 'transfer', name: 'transfers', count: Number(transfers) },
  { kind: 'token', name: 'ERC-20 transfers', count: Number(tokens) },
]
const blockGasLimit = BigInt(millionGas) * 1_000_000n

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/** Ready requests with the hashes of their transactions. */
function prepare(raws) {
  return raws.map((raw) => ({ bytes: request('eth_sendRawTransaction', [raw]), hash: hashOf(raw) }))
}

/**
 * Sends transactions, each sender's always to the same node, and waits until all are in a block on all nodes. Gives the
 * rate from the first request on, the sorted latencies from a transaction's own request on, and the blocks' sizes.
 */
async function send(ports, items) {
  const watch = await watchInclusion(
    ports,
    items.map(({ hash }) => hash),
  )
  const sentAt = new Map()
  const began = performance.now()
  const answers = await Promise.all(
    ports.map((port, node) => {
      const own = each(
        items.filter((_item, index) => index % ports.length === node),
        LIMIT_SECONDS,
      )
      return load(port, CONNECTIONS / ports.length, () => {
        const item = own()
        if (item !== undefined) sentAt.set(item.hash, performance.now())
        return item?.bytes
      })
    }),
  )
  const refused = answers.find(({ failures }) => failures > 0)
  if (refused !== undefined) throw new Error(`refused: ${refused.firstFailures[0]}`)
  const acceptedAt = performance.now()
  const { at, blocks } = await watch.included()
  const seconds = (Math.max(...at.values()) - began) / 1000
  return {
    accepted: (items.length * 1000) / (acceptedAt - began),
    rate: items.length / seconds,
    latencies: items
      .map(({ hash }) => at.get(hash) - sentAt.get(hash))
      .toSorted((first, second) => first - second),
    blocks,
  }
}

function clientTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** The load after a tenth of it as an unmeasured beginning; with the processor milliseconds per transaction by program. */
async function measure({ ports, processorTime }, raws, scrape) {
  const items = prepare(raws)
  const warmUp = Math.floor(raws.length / 11)
  await send(ports, items.slice(0, warmUp))
  const read = async () => ({
    processor: { ...processorTime(), client: clientTime() },
    scraped: await scrape(),
  })
  const before = await read()
  const result = await send(ports, items.slice(warmUp))
  const after = await read()
  const count = raws.length - warmUp
  const processor = Object.fromEntries(
    Object.entries(after.processor).map(([name, seconds]) => [
      name,
      ((seconds - before.processor[name]) * 1000) / count,
    ]),
  )
  return { ...result, processor, before: before.scraped, after: after.scraped }
}

async function onNetwork(raws) {
  const network = await startLocalnet({
    validators: VALIDATORS,
    blockGasLimit,
    blockInterval,
    poolSize: Math.max(20_000, raws.length),
  })
  try {
    return await measure(network, raws, network.cometMetrics)
  } catch (error) {
    throw new Error(`${error.message}\n${network.output()}`, { cause: error })
  } finally {
    await network.stop()
  }
}

async function onOneNode(raws) {
  const node = await startAssay(
    { blockGasLimit, poolSize: Math.max(20_000, raws.length) },
    { 'consensus.block-interval': blockInterval },
  )
  try {
    const processorTime = () => ({ assay: node.cpuSeconds() })
    return await measure({ ports: [node.port], processorTime }, raws, () => undefined)
  } finally {
    await node.stop()
  }
}

const digits = (value, count) => (Number.isFinite(value) ? value.toFixed(count) : '-')

function rowOf(name, { accepted, rate, latencies, blocks, processor }) {
  const full = blocks.filter((size) => size > 0)
  return [
    name,
    digits(rate, 0),
    digits(percentile(latencies, 0.5), 0),
    digits(percentile(latencies, 0.99), 0),
    digits(accepted, 0),
    `${full.length} of ${digits(full.reduce((sum, size) => sum + size, 0) / full.length, 0)}`,
    digits(processor.assay, 2),
    digits(processor.cometbft ?? Number.NaN, 2),
    digits(processor.client, 2),
  ]
}

/** ABCI's calls in the order of a height. CheckTx is none of them: CometBFT sends it beside and does not time its answer. */
const CALLS = ['prepare_proposal', 'process_proposal', 'finalize_block', 'commit']
const ABCI = 'cometbft_abci_connection_method_timing_seconds'
const STEP = 'cometbft_consensus_step_duration_seconds'
const INTERVAL = 'cometbft_consensus_block_interval_seconds'
/** CometBFT's steps of a height; NewHeight is where it waits for timeout_commit. */
const STEPS = [
  'NewHeight',
  'Propose',
  'Prevote',
  'PrevoteWait',
  'Precommit',
  'PrecommitWait',
  'Commit',
]
/** What a height waits for on each validator. One alone prepares a proposal, and all wait for it. */
const WAITED_FOR = ['process_proposal', 'finalize_block', 'commit']

/** Milliseconds by validator of a histogram's growth per height, and how often it was observed per height. */
function perHeight({ before, after }, name, labels) {
  const parts = before.map((samples, node) => {
    const heights = growth(samples, after[node], INTERVAL).count
    const { sum, count } = growth(samples, after[node], name, labels)
    return { ms: (sum * 1000) / heights, times: count / heights }
  })
  const mean = (pick) => parts.reduce((sum, part) => sum + pick(part), 0) / parts.length
  return { ms: mean(({ ms }) => ms), times: mean(({ times }) => times) }
}

/** Where a height's time goes, as CometBFT measured it: the mean over all validators and heights of the load. */
function whereTimeGoes(result) {
  const call = (method) => perHeight(result, ABCI, [`method="${method}"`])
  const step = (name) => perHeight(result, STEP, [`step="${name}"`])
  const whole = perHeight(result, INTERVAL, []).ms
  const wait = step('NewHeight').ms
  // Every validator waits for the one that prepares a proposal: the sum over all of them counts once.
  const application =
    WAITED_FOR.reduce((sum, method) => sum + call(method).ms, 0) +
    call('prepare_proposal').ms * VALIDATORS
  const row = (name, { ms, times }) => [name, digits(ms, 1), digits(times, 2)]
  const summary = (name, ms) => [name, digits(ms, 1), '']
  return tableLines([
    ['per height and validator', 'ms', 'times'],
    summary('whole height', whole),
    summary('waiting for timeout_commit (step NewHeight)', wait),
    summary('application: Prepare, Process, Finalize, Commit', application),
    summary("CometBFT's own: the rest", whole - wait - application),
    ...CALLS.map((method) => row(`ABCI ${method}`, call(method))),
    ...STEPS.map((name) => row(`step ${name}`, step(name))).filter(([, , times]) => times > 0),
  ])
}

const print = (...lines) => process.stdout.write(`${lines.join('\n')}\n`)

async function main() {
  try {
    await requireCometbft(COMETBFT)
  } catch (error) {
    print(`skipped: ${error.message}`)
    return
  }
  print(
    `${VALIDATORS} validators and their clients on this machine; ${millionGas} million gas per block, block interval ${blockInterval}.`,
    'Everything is sent as fast as it is accepted, so most of the latency is waiting for the blocks before.',
    '',
  )
  const rows = []
  const details = []
  for (const { kind, name, count } of LOADS) {
    const raws = signedTransactions(kind, count + Math.floor(count / 10))
    const network = await onNetwork(raws)
    rows.push(rowOf(`${count} ${name}, ${VALIDATORS} validators`, network))
    details.push(['', `${name}:`, '', ...whereTimeGoes(network)])
    rows.push(rowOf(`${count} ${name}, one embedded node`, await onOneNode(raws)))
  }
  const head = ['', 'mined/s', 'p50 ms', 'p99 ms', 'accepted/s', 'blocks of transactions']
  const cpu = ['assay', 'CometBFT', 'client'].map((name) => `CPU ms each: ${name}`)
  print(...tableLines([[...head, ...cpu], ...rows]), ...details.flat())
}

await main()
