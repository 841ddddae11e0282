// What consensus costs around the execution of a block: build, hash, sign, store, index. Medians over blocks, in milliseconds
// of the wall clock (the disk counts) and of the processor.
// Build first (node scripts/build.mjs), then: node bench/blocks.mjs [transfers per block] [blocks]
import fs from 'node:fs'
import { fromHex } from '../dist/base/hex.js'
import { sha256 } from '../dist/base/sha256.js'
import { parseGenesis } from '../dist/chain/genesis.js'
import { openChainStore } from '../dist/ledger/store.js'
import { homePaths } from '../dist/config/home.js'
import { loadGenesis } from '../dist/consensus/files/genesis.js'
import { openConsensus } from '../dist/consensus/open.js'
import { createEngine } from '../dist/evm/createEngine.js'
import { openKv } from '../dist/store/kv.js'
import { makeHome } from './peers/assay.mjs'
import { median } from './support/measure.mjs'
import { temporaryFolder } from './support/server.mjs'
import { signedTransactions } from './support/signed.mjs'

const [perBlock = 1000, blocks = 20] = process.argv.slice(2).map(Number)
const folder = temporaryFolder()
makeHome(folder, { blockGasLimit: 1_000_000_000n })
const home = homePaths(folder)
const genesis = loadGenesis(home.genesis)
const { rules } = parseGenesis(genesis.genesis.chainId, genesis.genesis.appState)
const kv = openKv(home.chainStore, { writerThread: true })
const published = []
const { application, engine, pool } = openConsensus({
  files: home,
  genesis,
  kv,
  store: openChainStore(kv, { chainId: rules.chainId, sha256 }),
  evm: createEngine(),
  limits: { minGasPrice: 0n, senderLimit: 100_000, queueLimit: 100_000, size: 1_000_000 },
  production: 'manual',
  node: { moniker: 'bench', listenAddress: '', rpcAddress: '' },
  publish: (block) => published.push(block),
  fatal(error) {
    throw error
  },
})

/** Milliseconds of the wall clock and of the processor. */
function now() {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}
const since = (start) => {
  const end = now()
  return { wall: end.wall - start.wall, cpu: end.cpu - start.cpu }
}

// What the application does with a decided block: execution and the state root.
let execution = { wall: 0, cpu: 0 }
const { finalizeBlock } = application
application.finalizeBlock = async (block) => {
  const start = now()
  const response = await finalizeBlock(block)
  execution = since(start)
  return response
}

async function make() {
  const start = now()
  await engine.produceBlock()
  const whole = since(start)
  return { whole, around: { wall: whole.wall - execution.wall, cpu: whole.cpu - execution.cpu } }
}

const raws = signedTransactions('transfer', perBlock * blocks).map(fromHex)
const full = []
for (let block = 0; block < blocks; block++) {
  for (const raw of raws.slice(block * perBlock, (block + 1) * perBlock)) await pool.add(raw)
  full.push(await make())
}
const empty = []
for (let block = 0; block < 50; block++) empty.push(await make())
const mined = published.reduce((sum, { block }) => sum + block.txs.length, 0)
await engine.stop()
await kv.close()
const stored = fs.statSync(`${home.chainStore}/data.mdb`).blocks * 512
fs.rmSync(folder, { recursive: true, force: true })

const row = (name, samples, pick) =>
  `| ${name} | ${['wall', 'cpu'].map((clock) => median(samples.map((sample) => pick(sample)[clock])).toFixed(1)).join(' | ')} |`
process.stdout.write(
  [
    '| milliseconds per block | wall | processor |',
    '| --- | --- | --- |',
    row(`${perBlock} transfers, all`, full, ({ whole }) => whole),
    row(`${perBlock} transfers, without execution and state root`, full, ({ around }) => around),
    row('empty, all', empty, ({ whole }) => whole),
    '',
    `${mined} transfers mined; ${(stored / mined).toFixed(0)} bytes of disk for each.`,
    '',
  ].join('\n'),
)
