// Gas per second of the engine: loops of bench/evm/Loops.sol through `execute`, against @ethereumjs/evm in the same run.
// Processor time, medians of several rounds, the engines taking turns; prints a Markdown table.
// Build first (node scripts/build.mjs), then: node bench/evm.mjs [rounds]
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { fromHex, toHexDigits } from '../dist/base/hex.js'
import { keccak256 } from '../dist/base/keccak.js'
import { EMPTY_CODE_HASH } from '../dist/evm/types.js'
import { createWasmEngine } from '../dist/evm/wasm/engine.js'
import { createOracle } from './evm/oracle.mjs'

const require = createRequire(import.meta.url)
const [rounds = 5] = process.argv.slice(2).map(Number)
const GAS = 1_000_000_000n
/** Iterations: for the WebAssembly engine, and for the other one, which is up to a hundred times slower. */
const LOOPS = [
  ['arithmetic', 1_000_000, 20_000],
  ['wide', 200_000, 10_000],
  ['ordinary', 100_000, 1_000],
  ['keccak', 200_000, 3_000],
  ['coldLoad', 20_000, 2_000],
  ['freshStore', 5_000, 500],
  ['warmStore', 300_000, 3_000],
  ['calls', 100_000, 500],
]

const BLOCK = {
  chainId: 1n,
  height: 1,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: GAS,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
}
const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)

const MESSAGE = {
  caller: CALLER,
  to: TARGET,
  value: 0n,
  gasLimit: GAS,
  gasPrice: 0n,
  origin: CALLER,
  nonce: 0n,
  accessList: [],
}

function compileLoops() {
  const file = 'Loops.sol'
  const content = fs.readFileSync(path.join(import.meta.dirname, 'evm', file), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
    },
  }
  const output = JSON.parse(require('solc').compile(JSON.stringify(input)))
  const { evm } = output.contracts[file].Loops
  return { code: fromHex(evm.deployedBytecode.object), selectors: evm.methodIdentifiers }
}

const { code, selectors } = compileLoops()
const codeHash = keccak256(code)
const accounts = new Map([
  [toHexDigits(TARGET), { nonce: 1n, balance: 0n, codeHash }],
  [toHexDigits(CALLER), { nonce: 1n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH }],
])
const state = {
  account: (address) => accounts.get(toHexDigits(address)),
  code: () => code,
  storage: () => new Uint8Array(32),
  hasStorage: () => false,
}

const now = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

async function measure(engine, loop, iterations) {
  const count = iterations.toString(16).padStart(64, '0')
  const message = { ...MESSAGE, data: fromHex(`${selectors[`${loop}(uint256)`]}${count}`) }
  const started = now()
  const { status, error, gasUsed } = await engine.execute(message, BLOCK, state)
  const seconds = now() - started
  if (status !== 'success') throw new Error(`${loop}: ${error}`)
  return Number(gasUsed) / 1e6 / seconds
}

const ours = createWasmEngine()
const other = await createOracle()
process.stdout.write('| loop | Mgas/s | @ethereumjs/evm | ratio |\n|---|---|---|---|\n')
for (const [loop, iterations, fewer] of LOOPS) {
  const rates = []
  const otherRates = []
  for (let round = 0; round < rounds; round++) {
    rates.push(await measure(ours, loop, iterations))
    otherRates.push(await measure(other, loop, fewer))
  }
  const [a, b] = [median(rates), median(otherRates)]
  process.stdout.write(`| ${loop} | ${a.toFixed(0)} | ${b.toFixed(1)} | ${(a / b).toFixed(0)}x |\n`)
}

/** What a message costs beside its gas: plain transfers per second. */
async function transfersPerSecond(engine, count) {
  const to = new Uint8Array(20).fill(0xcc)
  const message = { ...MESSAGE, to, value: 1n, data: new Uint8Array(0), gasLimit: 30_000n }
  const started = now()
  for (let i = 0; i < count; i++) await engine.execute(message, BLOCK, state)
  return count / (now() - started)
}
const [a, b] = [await transfersPerSecond(ours, 50_000), await transfersPerSecond(other, 5_000)]
process.stdout.write(
  `\n| transfers/s | @ethereumjs/evm | ratio |\n|---|---|---|\n| ${a.toFixed(0)} | ${b.toFixed(0)} | ${(a / b).toFixed(1)}x |\n`,
)
