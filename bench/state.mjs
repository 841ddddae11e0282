// What the chain's store costs per transfer: time in LMDB, and time in the trie.
// All times are processor time.
// Build first (node scripts/build.mjs), then: node bench/state.mjs [accounts] [transfers per block] [blocks]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openChainStore } from '../dist/ledger/store.js'
import { keccak256 } from '../dist/base/keccak.js'
import { openKv } from '../dist/store/kv.js'
import { accountsOf, sha256 } from './support/storedBlocks.mjs'

const [accounts = 100_000, perBlock = 200, blocks = 200] = process.argv.slice(2).map(Number)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const { addresses, genesis, transfers } = accountsOf(accounts)

// Processor time, in milliseconds: on a busy machine the wall clock measures the neighbours.
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

// What the machine gives at the moment, to read the other figures by (research: 0.45 us when idle).
let started = now()
for (let i = 0; i < 200_000; i++) keccak256(addresses[i % accounts])
console.log(`Keccak-256 of 20 bytes: ${((now() - started) / 200).toFixed(2)} us`)

/** The store, with its puts counted by table. */
const puts = {}
function counted(kv) {
  const table = (name) => {
    const inner = kv.table(name)
    const put = (key, value) => {
      puts[name] = (puts[name] ?? 0) + 1
      inner.put(key, value)
    }
    return { ...inner, put }
  }
  return { ...kv, table }
}

const kv = counted(openKv(folder))
const store = openChainStore(kv, { chainId: 1n, sha256 })
started = now()
store.initialise(genesis())
console.log(`genesis of ${accounts} accounts: ${(now() - started).toFixed(0)} ms`)

const sum = (values) => values.reduce((a, b) => a + b, 0)
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const perTransfer = (values) => ((sum(values) * 1000) / values.length / perBlock).toFixed(1)

/** Appends blocks of transfers; gives the times of both halves per block, and how many accounts were touched. */
function append(target, first, count) {
  const stage = []
  const commit = []
  let touched = 0
  for (let height = first; height < first + count; height++) {
    const block = transfers(height, perBlock)
    touched += block.effects.size
    started = now()
    const staged = target.stage(block)
    const between = now()
    target.commit(staged)
    stage.push(between - started)
    commit.push(now() - between)
  }
  return { stage, commit, touched }
}

for (const name in puts) puts[name] = 0
const { stage, commit, touched } = append(store, 1, blocks)
console.log(`${blocks} blocks of ${perBlock} transfers among ${accounts} accounts`)
console.log(
  `  stage (old values and trie): ${((sum(stage) * 1000) / touched).toFixed(1)} us per touched account, ${perTransfer(stage)} us per transfer`,
)
console.log(
  `  commit (all writes, synced, parts of checkpoints among them): ${perTransfer(commit)} us per transfer`,
)
console.log(
  `  commit of a block: median ${median(commit).toFixed(1)} ms, at most ${Math.max(...commit).toFixed(1)} ms`,
)
const perTable = Object.entries(puts).map(
  ([name, count]) => `${name} ${(count / blocks / perBlock).toFixed(2)}`,
)
console.log(`  puts per transfer: ${perTable.join(', ')}`)
console.log(
  `  file ${(fs.statSync(path.join(folder, 'data.mdb')).size / 1e6).toFixed(0)} MB; memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
)
const { trie, state } = store.stats()
const cache = ({ bytes, hits, misses }) =>
  `${(bytes / 1e6).toFixed(0)} MB, ${((hits / (hits + misses)) * 100).toFixed(0)} % hits`
console.log(`  trie ${cache(trie)}; latest state ${cache(state)}`)

started = now()
for (let i = 0; i < 20; i++) store.reader.proof(blocks, addresses[i], [])
console.log(`proof at the tip: ${((now() - started) / 20).toFixed(2)} ms`)
started = now()
store.reader.proof(Math.max(0, blocks - 100), addresses[1], [])
console.log(`proof ${Math.min(100, blocks)} blocks back: ${(now() - started).toFixed(0)} ms`)
started = now()
const view = store.reader.stateAt(1)
for (let i = 0; i < 2000; i++) view.account(addresses[i])
console.log(`account at an old height: ${((now() - started) / 2).toFixed(1)} us`)
started = now()
const latest = store.latest()
for (let i = 0; i < 20_000; i++) latest.account(addresses[i % accounts])
console.log(`account at the tip: ${((now() - started) / 20).toFixed(1)} us`)
started = now()
for (let i = 0; i < 200_000; i++) latest.account(addresses[i % 100])
console.log(`hot account at the tip: ${((now() - started) / 200).toFixed(2)} us`)
await kv.close()

started = now()
const again = openKv(folder)
const reopened = openChainStore(again, { chainId: 1n, sha256 })
console.log(
  `reopen: ${(now() - started).toFixed(0)} ms at height ${reopened.reader.latestHeight()}`,
)
// No part of a checkpoint is written here: what is left are the blocks, the flat state and its history.
const withoutTrie = openChainStore(again, { chainId: 1n, sha256, checkpointPart: () => 0 })
const rest = append(withoutTrie, blocks + 1, blocks)
console.log(
  `commit without the trie: ${perTransfer(rest.commit)} us per transfer; of a block at most ${Math.max(...rest.commit).toFixed(1)} ms`,
)
await again.close()

fs.rmSync(folder, { recursive: true, force: true })
