// A snapshot of a large state: how long it takes, how large it is, how long restoring it takes, and what blocks notice.
// Build first (node scripts/build.mjs), then: node bench/snapshot.mjs [accounts] [contracts] [slots of each contract]
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { toHexDigits } from '../dist/base/hex.js'
import { keccak256 } from '../dist/base/keccak.js'
import { prevRandao } from '../dist/chain/blockEnvironment.js'
import { nextBaseFee } from '../dist/chain/fees.js'
import { HEADER_SIZE } from '../dist/chain/headerSize.js'
import { listRoot } from '../dist/chain/listRoot.js'
import { openChainStore } from '../dist/ledger/store.js'
import { createStateSync } from '../dist/consensus/stateSync/stateSync.js'
import { createInlineTaker, startTaker } from '../dist/consensus/stateSync/taker.js'
import { EMPTY_CODE_HASH } from '../dist/evm/types.js'
import { openKv } from '../dist/store/kv.js'

const [accounts = 1_000_000, contracts = 1000, slotsEach = 200] = process.argv.slice(2).map(Number)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const rules = { chainId: 1n, blockGasLimit: 30_000_000n, initialBaseFee: 10n, minBaseFee: 1n }
const sha256 = (bytes) => new Uint8Array(crypto.createHash('sha256').update(bytes).digest())
const hashOf = (height) => sha256(Buffer.from(`block ${height}`))
const addressOf = (i) => keccak256(Buffer.from(`account ${i}`)).slice(0, 20)

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
async function timed(name, action) {
  const [wall, used] = [performance.now(), cpu()]
  const result = await action()
  const seconds = (performance.now() - wall) / 1000
  console.log(`${name}: ${seconds.toFixed(1)} s, processor ${(cpu() - used).toFixed(1)} s`)
  return result
}

/** Consecutive accounts, some with code and slots. */
function effectsOf(first, count, balance) {
  const effects = new Map()
  for (let i = first; i < first + count; i++) {
    const address = addressOf(i)
    const isContract = i < contracts
    const code = isContract ? Buffer.alloc(2000, i & 255) : undefined
    const storage = new Map()
    for (let slot = 0; slot < (isContract ? slotsEach : 0); slot++)
      storage.set(toHexDigits(keccak256(Buffer.from(`${i} ${slot}`))), hashOf(slot))
    const codeHash = code ? keccak256(code) : EMPTY_CODE_HASH
    const account = { nonce: BigInt(i % 100), balance, codeHash }
    effects.set(toHexDigits(address), {
      address,
      account,
      storageCleared: false,
      storage,
      ...(code && { code }),
    })
  }
  return effects
}

const genesisHeader = {
  height: 0,
  hash: hashOf(0),
  parentHash: new Uint8Array(32),
  timeNs: 0n,
  proposer: new Uint8Array(20),
  coinbase: new Uint8Array(20),
  transactionsRoot: listRoot([]),
  receiptsRoot: listRoot([]),
  logsBloom: new Uint8Array(256),
  gasLimit: rules.blockGasLimit,
  gasUsed: 0n,
  baseFeePerGas: rules.initialBaseFee,
  prevRandao: new Uint8Array(32),
  size: HEADER_SIZE,
}

function headerAfter(parent) {
  const height = parent.height + 1
  const timeNs = parent.timeNs + 1_000_000_000n
  return {
    ...genesisHeader,
    height,
    hash: hashOf(height),
    parentHash: parent.hash,
    timeNs,
    baseFeePerGas: nextBaseFee(parent, 1_000_000_000n, rules.minBaseFee),
    prevRandao: prevRandao(parent.hash, height),
  }
}

const none = { transactions: [], receipts: [], decided: [], validatorUpdates: [], systemLogs: [] }
const genesis = { header: genesisHeader, effects: new Map() }
const onFault = (reason) => {
  throw new Error(reason)
}
const open = (name, options = {}) => {
  const kv = openKv(path.join(folder, name), options)
  return { kv, store: openChainStore(kv, { chainId: 1n, sha256 }) }
}

// Without waiting for the disk: what blocks notice is a matter of the processor.
const source = open('source', { isScratch: true })
const { store } = source
let parent = store.initialise(genesis)

function addBlock(effects) {
  const staged = store.stage({ header: headerAfter(parent), ...none, effects })
  store.commit(staged)
  parent = staged.header
}

await timed(`making ${accounts} accounts`, () => {
  const part = 50_000
  for (let i = 0; i < accounts; i += part)
    addBlock(effectsOf(i, Math.min(part, accounts - i), 10n ** 18n + BigInt(i)))
})
const { height, stateRoot } = parent
console.log(
  `  ${contracts} of them with 2,000 bytes of code and ${slotsEach} slots; the store has ${(fs.statSync(path.join(folder, 'source', 'data.mdb')).size / 1e6).toFixed(0)} MB`,
)

/** Blocks of 200 changed accounts, one each 20 ms, while `isRunning`. Gives the times they took, in milliseconds. */
async function blocksWhile(isRunning) {
  const times = []
  while (isRunning()) {
    const effects = effectsOf(
      contracts + Math.floor(Math.random() * (accounts - contracts - 200)),
      200,
      BigInt(times.length),
    )
    const started = performance.now()
    addBlock(effects)
    times.push(performance.now() - started)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return times.sort((a, b) => a - b)
}
const describe = (times) =>
  `${times.length} blocks, median ${times[times.length >> 1].toFixed(1)} ms, 99 % ${times[Math.floor(times.length * 0.99)].toFixed(1)} ms`

// What making the accounts left to write goes with the blocks that follow.
for (let i = 0; i < 60; i++) addBlock(new Map())
let count = 0
console.log(`blocks of 200 accounts alone: ${describe(await blocksWhile(() => count++ < 100))}`)
const snapshots = path.join(folder, 'snapshots')
const taker = startTaker({
  store: path.join(folder, 'source'),
  snapshots,
  genesisHash: genesisHeader.hash,
})
let isTaking = true
const began = performance.now()
const taking = taker.take(height).finally(() => (isTaking = false))
const times = await blocksWhile(() => isTaking)
const { bytes, chunks } = await taking
console.log(
  `snapshot of block ${height} on its thread: ${((performance.now() - began) / 1000).toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB in ${chunks} chunks`,
)
console.log(`blocks of 200 accounts beside it: ${describe(times)}`)
await taker.close()
const inline = createInlineTaker(source.kv, { snapshots, genesisHash: genesisHeader.hash })
await timed('the same alone', () => inline.take(height))
await source.kv.close()

const target = open('target', { isScratch: true })
const sync = createStateSync({
  store: target.store,
  rules,
  genesis,
  folder: snapshots,
  interval: 0,
  keep: 2,
  taker: undefined,
  onFault,
  onRestored: () => {},
})
const [snapshot] = sync.listSnapshots()
if ((await sync.offerSnapshot({ snapshot, appHash: stateRoot })) !== 'accept')
  throw new Error('the snapshot was not accepted')
let delay = 0
let last = performance.now()
const watch = setInterval(() => {
  delay = Math.max(delay, performance.now() - last - 5)
  last = performance.now()
}, 5)
await timed('restoring it', async () => {
  for (let index = 0; index < chunks; index++) {
    const chunk = await sync.loadSnapshotChunk({ height, format: 1, chunk: index })
    const part = async () => await sync.applySnapshotChunk({ index, chunk, sender: '' })
    // The last chunk ends with the trie and all checks.
    const { result } = await (index === chunks - 1 ? timed('  the trie', part) : part())
    if (result !== 'accept') throw new Error(`chunk ${index}: ${result}`)
  }
})
clearInterval(watch)
const { rss } = process.memoryUsage()
console.log(
  `  the event loop waited ${delay.toFixed(0)} ms at most; memory ${(rss / 1e6).toFixed(0)} MB`,
)
const started = performance.now()
target.store.reader.proof(height, addressOf(5), [])
console.log(`first proof afterwards: ${(performance.now() - started).toFixed(1)} ms`)
await target.kv.close()
fs.rmSync(folder, { recursive: true, force: true })
