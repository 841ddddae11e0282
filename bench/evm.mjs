// Gas per second of the engine: loops of bench/evm/Loops.sol through `execute`, against @ethereumjs/evm in the same run.
// Processor time, medians of several rounds, the engines taking turns; prints a Markdown table.
// Build first (node scripts/build.mjs), then: node bench/evm.mjs [rounds]
import { fromHex, toHexDigits } from '../dist/base/hex.js'
import { createWasmEngine } from '../dist/evm/wasm/engine.js'
import { createOracle } from './evm/oracle.mjs'
import {
  blockWith,
  compileLoops,
  messageWith,
  processorTime,
  TARGET,
  worldOf,
} from './evm/world.mjs'
import { median } from './support/measure.mjs'

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

const BLOCK = blockWith(GAS)
const { code, selectors } = compileLoops()
const state = worldOf({ [toHexDigits(TARGET)]: code })

async function measure(engine, loop, iterations) {
  const count = iterations.toString(16).padStart(64, '0')
  const message = messageWith(GAS, fromHex(`${selectors[`${loop}(uint256)`]}${count}`))
  const started = processorTime()
  const { status, error, gasUsed } = await engine.execute(message, BLOCK, state)
  const seconds = processorTime() - started
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
  const message = { ...messageWith(30_000n, new Uint8Array(0)), to, value: 1n }
  const started = processorTime()
  for (let i = 0; i < count; i++) await engine.execute(message, BLOCK, state)
  return count / (processorTime() - started)
}
const [a, b] = [await transfersPerSecond(ours, 50_000), await transfersPerSecond(other, 5_000)]
process.stdout.write(
  `\n| transfers/s | @ethereumjs/evm | ratio |\n|---|---|---|\n| ${a.toFixed(0)} | ${b.toFixed(0)} | ${(a / b).toFixed(1)}x |\n`,
)
