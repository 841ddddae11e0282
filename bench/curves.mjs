// How costs grow: accounts against the time of a block and of a read, the length of a chain against a search for logs, the
// size of a block against its execution. Processor time, medians. Prints tables, and writes them with plots into bench/results/.
// Build first (node scripts/build.mjs), then: node bench/curves.mjs [--quick]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openChainStore } from '../dist/ledger/store.js'
import { createEngine } from '../dist/evm/createEngine.js'
import { runTransaction } from '../dist/evm/transition.js'
import { overlay } from '../dist/evm/overlay.js'
import { decodeTransaction } from '../dist/chain/transaction.js'
import { fromHex } from '../dist/base/hex.js'
import { EMPTY_CODE_HASH } from '../dist/evm/types.js'
import { openKv } from '../dist/store/kv.js'
import { blockWith } from './evm/world.mjs'
import { CHAIN_ID, senders } from './support/chain.mjs'
import { linePlots } from './support/linePlot.mjs'
import { median } from './support/measure.mjs'
import { signedTransactions } from './support/signed.mjs'
import { accountsOf, blockOfLogs, sha256 } from './support/storedBlocks.mjs'
import { tableLines } from './support/table.mjs'

const isQuick = process.argv.includes('--quick')
const ACCOUNTS = isQuick ? [1e3, 1e4] : [1e3, 1e4, 1e5, 1e6]
const LENGTHS = isQuick ? [1e3, 3e3] : [1e3, 1e4, 1e5]
const SIZES = isQuick ? [10, 100] : [10, 100, 1000, 10_000]
const PER_BLOCK = 200
const BLOCKS = isQuick ? 10 : 50
const READS = 2000
const SEARCHES = 51
/** Transfers that are executed for each size of block, at least five blocks of them. */
const EXECUTED = 5000

/** Processor milliseconds, of all threads. */
function now() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function timed(work) {
  const started = now()
  work()
  return now() - started
}

/** Runs `work` with a store in a folder that is removed afterwards. */
async function withStore(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
  const kv = openKv(folder, { isScratch: true })
  try {
    return work(openChainStore(kv, { chainId: 1n, sha256 }))
  } finally {
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds for a block of transfers (state root and all writes), microseconds for reading an account. */
const measureAccounts = (count) =>
  withStore((store) => {
    const { addresses, genesis, transfers } = accountsOf(count)
    store.initialise(genesis())
    const blocks = Array.from({ length: BLOCKS }, (_, i) => {
      const block = transfers(i + 1, PER_BLOCK)
      return timed(() => store.commit(store.stage(block)))
    })
    const latest = store.latest()
    // Spread over all accounts, so that the cache helps as much as it does when anybody may be asked for.
    const step = Math.max(1, Math.floor(count / READS))
    const reads = Array.from({ length: 5 }, (_, round) =>
      timed(() => {
        for (let i = 0; i < READS; i++) latest.account(addresses[(i * step + round) % count])
      }),
    )
    return { block: median(blocks), read: (median(reads) * 1000) / READS }
  })

const token = (i) => sha256(`token ${i}`).subarray(0, 20)
const account = (i) => sha256(`account ${i}`)

/** A transfer of one of twenty tokens in each block, and of a rare one in every hundredth part of the chain. */
function logsOf(height, length) {
  const logs = [{ address: token(height % 20), topics: [account(0), account(height % 5000)], data: account(height) }] // prettier-ignore
  if (height % (length / 100) === 0)
    logs.push({ address: token(99), topics: [account(0)], data: account(1) })
  return logs
}

/** Milliseconds for searches through a whole chain. */
const measureLength = (length) =>
  withStore((store) => {
    store.initialise(blockOfLogs(0, []))
    for (let height = 1; height <= length; height++)
      store.commit(store.stage(blockOfLogs(height, logsOf(height, length))))
    function search(criteria, first = 1) {
      const rounds = Array.from({ length: SEARCHES }, () =>
        timed(() => [...store.reader.logs(first, length, criteria)]),
      )
      return median(rounds)
    }
    return {
      rare: search({ addresses: [token(99)], topics: [] }),
      none: search({ addresses: [token(1000)], topics: [] }),
      recent: search({ addresses: [token(7)], topics: [] }, length - 999),
    }
  })

const engine = createEngine()
const RULES = { baseFeeSink: 'burned' }
const richAccounts = new Set(senders)

/** Milliseconds for executing a block of transfers by the state transition, one after the other. */
async function measureSize(size) {
  const transactions = signedTransactions('transfer', size).map((raw) =>
    decodeTransaction(fromHex(raw), CHAIN_ID),
  )
  const block = { ...blockWith(1_000_000_000n), chainId: CHAIN_ID }
  const rounds = []
  for (let round = 0; round < Math.max(5, EXECUTED / size); round++) {
    const world = overlay(richState)
    const started = now()
    for (const transaction of transactions) {
      const { effects } = runTransaction(engine, transaction, block, world, RULES)
      world.apply(effects)
    }
    rounds.push(now() - started)
  }
  return median(rounds)
}

const richState = {
  account: (address) =>
    richAccounts.has(`0x${Buffer.from(address).toString('hex')}`)
      ? { nonce: 0n, balance: 10n ** 24n, codeHash: EMPTY_CODE_HASH }
      : undefined,
  code: () => new Uint8Array(0),
  storage: () => new Uint8Array(32),
  hasStorage: () => false,
}

async function curve(points, measure) {
  const results = []
  // The first run is for the compiler of JavaScript.
  await measure(points[0])
  for (const point of points) {
    results.push([point, await measure(point)])
    process.stderr.write(`${point}: ${JSON.stringify(results.at(-1)[1])}\n`)
  }
  return results
}

const accounts = await curve(ACCOUNTS, measureAccounts)
const lengths = await curve(LENGTHS, measureLength)
const sizes = await curve(SIZES, measureSize)

const pick = (results, key) => results.map(([x, values]) => [x, Math.max(values[key], 0.001)])
const table = (head, rows) => [...tableLines([head, ...rows.map((row) => row.map((value) => value.toLocaleString('en', { maximumSignificantDigits: 4 })))]), ''] // prettier-ignore

const date = new Date().toISOString().slice(0, 10)
const text = [
  `# How costs grow, ${date}`,
  '',
  `${os.cpus().length} x ${os.cpus()[0].model}, Node ${process.versions.node}. Processor time, medians.`,
  '',
  `## Accounts: a block of ${PER_BLOCK} transfers among them, and reading one`,
  '',
  ...table(
    ['accounts', 'ms per block: state root and writes', 'us per account read'],
    accounts.map(([x, { block, read }]) => [x, block, read]),
  ),
  '## Length of the chain: eth_getLogs over all of it, milliseconds',
  '',
  ...table(
    [
      'blocks',
      '100 logs of a rare address',
      'an address without logs',
      'one token, last 1,000 blocks',
    ],
    lengths.map(([x, { rare, none, recent }]) => [x, rare, none, recent]),
  ),
  '## Transfers in a block: execution, milliseconds',
  '',
  ...table(
    ['transfers', 'ms', 'us per transfer'],
    sizes.map(([x, ms]) => [x, ms, (ms * 1000) / x]),
  ),
].join('\n')

const plots = linePlots([
  {
    title: `A block of ${PER_BLOCK} transfers, and a read`,
    x: 'accounts',
    y: 'processor time',
    curves: { 'block, ms': pick(accounts, 'block'), 'read, us': pick(accounts, 'read') },
  },
  {
    title: 'Searching all of a chain for logs',
    x: 'blocks',
    y: 'processor ms',
    curves: {
      'rare address': pick(lengths, 'rare'),
      'no such address': pick(lengths, 'none'),
      'last 1,000 blocks': pick(lengths, 'recent'),
    },
  },
  {
    title: 'Executing a block of transfers',
    x: 'transfers',
    y: 'processor ms',
    curves: { execution: sizes },
  },
])

process.stdout.write(`${text}\n`)
if (!isQuick) {
  const folder = path.join(import.meta.dirname, 'results')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, `${date}-curves.md`), text)
  fs.writeFileSync(path.join(folder, `${date}-curves.svg`), plots)
}
