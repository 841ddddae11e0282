// tx_search among many transactions, and what the index costs when a block is written. All times are processor time.
// Build first (node scripts/build.mjs), then: node bench/search.mjs [transactions] [per block] [accounts]
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { toHex, toUpperHexDigits } from '../dist/base/hex.js'
import { keccak256 } from '../dist/base/keccak.js'
import { openAddressIndex } from '../dist/ledger/events/addressIndex.js'
import { signTransaction } from '../dist/chain/signTransaction.js'
import { openChainStore } from '../dist/ledger/store.js'
import { createEvmEventIndex } from '../dist/consensus/evm/eventIndex.js'
import { tx_search } from '../dist/consensusRpc/endpoints/txSearch.js'
import { openKv } from '../dist/store/kv.js'

const [total = 1_000_000, perBlock = 100, accounts = 100_000] = process.argv.slice(2).map(Number)
const blocks = Math.ceil(total / perBlock)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const sha256 = (bytes) => new Uint8Array(crypto.createHash('sha256').update(bytes).digest())
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
const addressOf = (i) => sha256(Uint8Array.of(i >> 16, (i >> 8) & 255, i & 255)).slice(0, 20)
const empty = new Uint8Array(256)

// Every transaction is this one with another recipient and signature: nobody looks at these here.
const to = new Uint8Array(20).fill(0xee)
const pattern = signTransaction(
  {
    type: 2,
    chainId: 271_828n,
    nonce: 1000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    gasLimit: 21_000n,
    to,
    value: 1n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
  },
  new Uint8Array(32).fill(1),
).raw
const toAt = Buffer.from(pattern).indexOf(Buffer.from(to))

function transactionOf(number) {
  const raw = pattern.slice()
  const recipient = addressOf(1 + Math.floor(Math.random() * accounts))
  // Account 0 gets one of a hundred, and sends nothing.
  raw.set(number % 100 === 0 ? addressOf(0) : recipient, toAt)
  new DataView(raw.buffer).setUint32(raw.length - 8, number)
  const sender = addressOf(1 + Math.floor(Math.random() * accounts))
  return { raw, hash: keccak256(raw), sender, to: raw.slice(toAt, toAt + 20) }
}

function blockOf(height) {
  const transactions = Array.from({ length: perBlock }, (_, i) =>
    transactionOf((height - 1) * perBlock + i),
  )
  const receipts = transactions.map((_, i) => ({
    type: 2,
    status: 1,
    gasUsed: 21_000n,
    cumulativeGasUsed: 21_000n * BigInt(i + 1),
    effectiveGasPrice: 1_000_000_000n,
    contractAddress: undefined,
    logs: [],
    logsBloom: empty,
    firstLogIndex: 0,
  }))
  const decided = transactions.map(({ raw }, i) => ({
    raw,
    transactionIndex: i,
    result: {
      code: 0,
      codespace: '',
      log: '',
      data: sha256(raw),
      gasWanted: 21_000n,
      gasUsed: 21_000n,
    },
  }))
  const hash = sha256(Buffer.from(`block ${height}`))
  const header = {
    height,
    hash,
    parentHash: hash,
    timeNs: BigInt(height) * 1_000_000_000n,
    proposer: to,
    coinbase: to,
    transactionsRoot: new Uint8Array(32),
    receiptsRoot: new Uint8Array(32),
    logsBloom: empty,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    baseFeePerGas: 1n,
    prevRandao: new Uint8Array(32),
    size: 1000,
  }
  return { header, transactions, receipts, decided, effects: new Map() }
}

const kv = openKv(folder)
const store = openChainStore(kv, { chainId: 271_828n, sha256 })
const addresses = openAddressIndex(kv)
const genesis = blockOf(0)
store.initialise({ header: genesis.header, effects: new Map() })

let withIndex = 0
let without = 0
let sample
for (let height = 1; height <= blocks; height++) {
  const block = blockOf(height)
  if (height === blocks >> 1) [, sample] = block.transactions
  const started = now()
  kv.write(() => {
    const before = now()
    addresses.write(height, block)
    withIndex += now() - before
    store.commit(store.stage(block))
  })
  without += now() - started
}
const size = fs.statSync(path.join(folder, 'data.mdb')).size / 1e6
const perTransaction = (ms) => ((ms * 1000) / blocks / perBlock).toFixed(2)
console.log(`${blocks * perBlock} transactions in ${blocks} blocks among ${accounts} accounts`)
console.log(`  file: ${size.toFixed(0)} MB`)
console.log(
  `  written in ${perTransaction(without)} us per transaction, of which the address index takes ${perTransaction(withIndex)} before the commit`,
)

const { reader } = store
const services = {
  index: createEvmEventIndex('assay', reader, addresses),
  reader: {
    earliestHeight: () => 1,
    height: () => blocks,
    findTransaction: reader.findDecided,
    block: (height) => ({ block: { txs: reader.decided(height).map(({ raw }) => raw) } }),
  },
}
const { signal } = new AbortController()

async function measure(name, queryOf, more = {}) {
  const times = []
  let count
  for (let round = 0; round < 30; round++) {
    const args = { query: queryOf(round), prove: false, order_by: '', ...more }
    const started = now()
    const answer = await tx_search.call(services, args, { signal })
    JSON.stringify(answer)
    times.push(now() - started)
    count = answer.total_count
  }
  times.sort((a, b) => a - b)
  console.log(
    `  ${name}: median ${times[15].toFixed(2)} ms, at most ${times.at(-1).toFixed(2)} ms; ${count} found`,
  )
}

await measure('by consensus hash', () => `tx.hash='${toUpperHexDigits(sha256(sample.raw))}'`)
await measure('by Ethereum hash', () => `assay.ethereumTxHash='${toHex(sample.hash)}'`)
await measure('by sender', (round) => `assay.sender='${toHex(addressOf(round + 1))}'`)
await measure('by recipient', (round) => `assay.recipient='${toHex(addressOf(round + 1))}'`)
await measure('by both', () => {
  const sender = toHex(sample.sender)
  return `assay.sender='${sender}' AND assay.recipient='${toHex(sample.to)}'`
})
await measure('by a busy recipient, last 30', () => `assay.recipient='${toHex(addressOf(0))}'`, {
  order_by: 'desc',
})
await measure('by a range of heights', () => `tx.height > 100 AND tx.height < 200`)
await kv.close()
fs.rmSync(folder, { recursive: true, force: true })
