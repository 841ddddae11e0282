// Assay against other nodes: all groups of rows, or those named. Prints a Markdown table, and writes it with a plot into
// bench/results/. See bench/README.md.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { measureCalls } from './calls.mjs'
import { measureLogs } from './logs.mjs'
import { startAnvil } from './peers/anvil.mjs'
import { startAssay } from './peers/assay.mjs'
import { startGeth } from './peers/geth.mjs'
import { startHardhat } from './peers/hardhat.mjs'
import { measureReads } from './reads.mjs'
import { measureStartup } from './startup.mjs'
import { measureSteps } from './steps.mjs'
import { FILLED_SLOTS } from './support/chain.mjs'
import { readOptions } from './support/options.mjs'
import { ratioPlot } from './support/plot.mjs'
import { markdownTable, ratioOf } from './support/table.mjs'
import { measureWrites } from './writes.mjs'

const STARTERS = { assay: startAssay, anvil: startAnvil, geth: startGeth, hardhat: startHardhat }

/** Groups that share running peers. */
const RUNNING = { reads: measureReads, calls: measureCalls, logs: measureLogs }
/** Groups that start peers of their own. */
const FRESH_START = { writes: measureWrites, steps: measureSteps, startup: measureStartup }

const DEFAULT_CHAIN = { blockGasLimit: 30_000_000n, blockTime: 1, slots: FILLED_SLOTS }

const options = readOptions(process.argv.slice(2))
const names = ['assay', ...options.peers]
const unknown = [
  ...names.filter((name) => !(name in STARTERS)),
  ...options.groups.filter((group) => !(group in RUNNING) && !(group in FRESH_START)),
]
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`)
const groups =
  options.groups.length > 0 ? options.groups : Object.keys({ ...RUNNING, ...FRESH_START })

const starters = (chain) =>
  Object.fromEntries(names.map((name) => [name, () => STARTERS[name](chain)]))

const rows = []
function add(row) {
  rows.push(row)
  const values = names.map((name) => `${name} ${row.values[name]?.value.toPrecision(4)}`)
  process.stderr.write(
    `${row.name}: ${values.join(', ')} ${row.unit}, ratio ${ratioOf(row).toFixed(2)}\n`,
  )
}

async function measureRunning(measure) {
  const peers = []
  try {
    for (const start of Object.values(starters(DEFAULT_CHAIN))) peers.push(await start())
    await measure({ peers, options, add })
  } finally {
    for (const peer of peers) await peer.stop()
  }
}

const began = performance.now()
for (const group of groups) {
  process.stderr.write(`\n# ${group}\n`)
  if (group in RUNNING) await measureRunning(RUNNING[group])
  else await FRESH_START[group]({ starters, options, add })
}

const date = new Date().toISOString().slice(0, 10)
const title = `Assay against ${options.peers.join(', ')}, ${date}`
const machine = `${os.cpus().length} x ${os.cpus()[0].model}, Node ${process.versions.node}, ${process.platform}`
const seconds = ((performance.now() - began) / 1000).toFixed(0)
const text = [
  `# ${title}`,
  '',
  `${machine}. Size: ${options.size}. Groups: ${groups.join(', ')}. Took ${seconds} s. Medians; peers in turns, all but one paused.`,
  '',
  markdownTable(rows, names),
].join('\n')
const folder = path.join(import.meta.dirname, 'results')
fs.mkdirSync(folder, { recursive: true })
// A part of the rows, or another size, does not overwrite a whole run of the day.
const parts = [date, ...options.groups, ...(options.size === 'normal' ? [] : [options.size])]
const name = parts.join('-')
fs.writeFileSync(path.join(folder, `${name}.md`), text)
fs.writeFileSync(path.join(folder, `${name}.svg`), ratioPlot(rows, title))
process.stdout.write(`${text}\n`)
