// Time per gas of programs that were made to take long (bench/evm/programs.mjs), against the median of ordinary loops.
// Processor time, medians of several rounds; prints a Markdown table, the slowest first, and the memory at the end.
// Build first (node scripts/build.mjs), then: node bench/hostile.mjs [rounds] [part of a name]
import { fromHex, toHexDigits } from '../dist/base/hex.js'
import { createWasmEngine } from '../dist/evm/wasm/engine.js'
import { PRECOMPILE_PROGRAMS, PROGRAMS } from './evm/programs.mjs'
import {
  blockWith,
  compileLoops,
  messageWith,
  processorTime,
  TARGET,
  worldOf,
} from './evm/world.mjs'
import { median } from './support/measure.mjs'

const [rounds = '3', part = ''] = process.argv.slice(2)
const BLOCK_GAS = 30_000_000n
/** EIP-7825: the most that a transaction may take. */
const TRANSACTION_GAS = 2n ** 24n
/** What one call of a precompile program gets: enough for the largest of them. */
const PRECOMPILE_GAS = 3_000_000n
/** What ordinary contracts do; how many times, so that they take about a block. */
const ORDINARY = [
  ['arithmetic', 300_000],
  ['ordinary', 40_000],
  ['keccak', 150_000],
  ['coldLoad', 10_000],
  ['warmStore', 100_000],
  ['calls', 30_000],
]

const engine = createWasmEngine()
const block = blockWith(BLOCK_GAS)

/** Millions of gas per second of processor time. */
function rateOf({ data, state }, gas) {
  const started = processorTime()
  /** @type {{ gasUsed: bigint }} */
  const outcome = engine.execute(messageWith(gas, data), block, state, 'result')
  return Number(outcome.gasUsed) / 1e6 / (processorTime() - started)
}

function measure(program, gas) {
  try {
    rateOf(program, gas)
    return median(Array.from({ length: Number(rounds) }, () => rateOf(program, gas)))
  } catch (error) {
    return error.message
  }
}

const { code, selectors } = compileLoops()
const state = worldOf({ [toHexDigits(TARGET)]: code })
const ordinary = median(
  ORDINARY.map(([loop, iterations]) => {
    const count = iterations.toString(16).padStart(64, '0')
    const data = fromHex(`${selectors[`${loop}(uint256)`]}${count}`)
    return measure({ data, state }, BLOCK_GAS)
  }),
)

function table(title, programs, gas) {
  const rows = programs
    .filter(({ name }) => name.includes(part))
    .map((program) => ({ name: program.name, rate: measure(program, gas) }))
    .sort((a, b) => a.rate - b.rate)
    .map(({ name, rate }) =>
      typeof rate === 'string'
        ? `| ${name} | ${rate} | | |`
        : `| ${name} | ${rate.toFixed(0)} | ${(ordinary / rate).toFixed(1)}x | ${((Number(BLOCK_GAS) / 1e6 / rate) * 1000).toFixed(0)} ms |`,
    )
  const head = `| ${title} | Mgas/s | slower than the median | 30M gas |\n|---|---|---|---|\n`
  process.stdout.write(`${head}${rows.join('\n')}\n\n`)
}

process.stdout.write(`The median of ordinary loops: ${ordinary.toFixed(0)} Mgas/s.\n\n`)
table('program', PROGRAMS, TRANSACTION_GAS)
table('precompile', PRECOMPILE_PROGRAMS, PRECOMPILE_GAS)
process.stdout.write(
  `Memory at the end: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB, at most ${(process.resourceUsage().maxRSS / 2 ** 10).toFixed(0)} MiB.\n`,
)
