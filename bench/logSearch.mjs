// Searches for logs in a long chain, and what their index costs when a block is written. All times are processor time.
// Build first (node scripts/build.mjs), then: node bench/logSearch.mjs [blocks] [logs per block]
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openChainStore } from '../dist/ledger/store.js'
import { openKv } from '../dist/store/kv.js'
import { blockOfLogs, sha256 } from './support/storedBlocks.mjs'

const [blocks = 100_000, perBlock = 20] = process.argv.slice(2).map(Number)
const ACCOUNTS = 50_000
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const word = (kind, i) => sha256(Uint8Array.of(kind, i >> 16, (i >> 8) & 255, i & 255))
const padded = (address) => new Uint8Array([...new Uint8Array(12), ...address])
const accounts = Array.from({ length: ACCOUNTS }, (_, i) => padded(word(1, i).slice(0, 20)))
const tokens = Array.from({ length: 20 }, (_, i) => word(2, i).slice(0, 20))
const TRANSFER = word(3, 0)
const [rareToken, rareAccount] = [word(4, 0).slice(0, 20), padded(word(4, 1).slice(0, 20))]
const any = (list) => list[crypto.randomInt(list.length)]

// Transfers of twenty tokens among the accounts; one log of a rare token, to a rare account, in every thousandth block.
function logsOf(height) {
  const logs = Array.from({ length: perBlock }, () => ({
    address: any(tokens),
    topics: [TRANSFER, any(accounts), any(accounts)],
    data: new Uint8Array(32),
  }))
  if (height % (blocks / 100) === 0)
    logs.push({
      address: rareToken,
      topics: [TRANSFER, accounts[0], rareAccount],
      data: word(5, 0),
    })
  return logs
}

const blockOf = (height) => blockOfLogs(height, height === 0 ? [] : logsOf(height))

const kv = openKv(folder, { isScratch: true })
const store = openChainStore(kv, { chainId: 1n, sha256 })
store.initialise(blockOf(0))
let written = 0
for (let height = 1; height <= blocks; height++) {
  const block = blockOf(height)
  const started = now()
  store.commit(store.stage(block))
  written += now() - started
}
const logs = blocks * perBlock
console.log(`${blocks} blocks of ${perBlock} logs`)
console.log(
  `  written in ${((written * 1000) / logs).toFixed(2)} us per log, all that a block costs among it`,
)
console.log(
  `  file: ${(fs.statSync(path.join(folder, 'data.mdb')).size / logs).toFixed(0)} bytes per log`,
)

function search(name, criteria, first = 1) {
  const times = []
  let found = 0
  for (let round = 0; round < 9; round++) {
    const started = now()
    found = 0
    for (const { places } of store.reader.logs(first, blocks, criteria)) found += places.length
    times.push(now() - started)
  }
  times.sort((a, b) => a - b)
  console.log(`  ${name}: median ${times[4].toFixed(2)} ms; ${found} logs`)
}

const nobody = padded(word(8, 0).slice(0, 20))
search('no such address', { addresses: [word(8, 1).slice(0, 20)], topics: [] })
search('no such topic among all transfers', { addresses: [], topics: [[TRANSFER], [], [nobody]] })
search('a rare address', { addresses: [rareToken], topics: [] })
search('a rare recipient among all transfers', {
  addresses: [],
  topics: [[TRANSFER], [], [rareAccount]],
})
search('a rare address and recipient', { addresses: [rareToken], topics: [[], [], [rareAccount]] })
search('an ordinary account of one token', { addresses: [tokens[0]], topics: [[], [accounts[7]]] })
search('the last 1,000 blocks, one token', { addresses: [tokens[1]], topics: [] }, blocks - 999)
await kv.close()
fs.rmSync(folder, { recursive: true, force: true })
