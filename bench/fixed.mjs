// Tokens per second of the integer engine at batch 1, on a generated model of 24 million parameters in Q8_0, against llama.cpp with
// one thread, and what the commitment costs. The prompt is evaluated before the clock starts. Processor time, the best and the
// median of many short rounds, taking turns; prints a Markdown table.
// Build first (node scripts/build.mjs), then: node bench/fixed.mjs [rounds]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadFixedModel } from '../dist/inference/fixed/model.js'
import { run } from '../dist/inference/fixed/run.js'
import { toSampling } from '../dist/inference/fixed/sampler.js'
import { traceRoot } from '../dist/inference/fixed/trace.js'
import { generateModel } from '../dist/inference/generateModel.js'
import { findLlamaRuntime, hasLlamaRuntime } from '../dist/inference/llamaRuntime.js'

const [rounds = 40] = process.argv.slice(2).map(Number)
const PROMPT = 'The quick brown fox jumps over the lazy dog.'
const TOKENS = 128
const SHAPE = { width: 512, layers: 8, heads: 8, keyHeads: 4, hidden: 1408, contextLength: 2048 }

/** The round that was disturbed least: other programs slow a core down, and nothing speeds it up. */
const best = (values) => Math.min(...values)
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Milliseconds of processor time, of all threads, since a reading. */
function since(start) {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e3
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-fixed-'))
const file = path.join(folder, 'model.gguf')
fs.writeFileSync(file, generateModel({ seed: 1, shape: SHAPE }))
const model = await loadFixedModel({ name: 'model.gguf', path: file })
const prompt = model.tokenizer.encode(PROMPT)

/** Milliseconds per token after the first. */
async function runFixed(commit, temperature = 0, topP = 1) {
  const trace = []
  const request = {
    prompt,
    room: TOKENS + 1,
    sampling: toSampling(temperature, topP, 7),
    signal: new AbortController().signal,
    commit,
    onChoice: () => (start ??= process.cpuUsage()),
  }
  let start
  for await (const step of run(model, request)) trace.push(step)
  if (commit) traceRoot(trace)
  return since(start) / TOKENS
}

const PLAIN = 'fixed, without commitment'
const COMMITTED = 'fixed, with commitment'
const LLAMA = 'llama.cpp, one thread'

/** Tasks by name; each generates TOKENS tokens after the prompt and the first one. */
const tasks = {
  [PLAIN]: () => runFixed(false),
  [COMMITTED]: () => runFixed(true),
  'fixed, with commitment, temperature 1, top_p 0.9': () => runFixed(true, 1, 0.9),
}

let llama
if (hasLlamaRuntime()) {
  llama = await findLlamaRuntime().start(() => undefined)
  const loaded = await llama.loadModel({ modelPath: file, gpuLayers: 0 })
  const context = await loaded.createContext({
    contextSize: 256,
    batchSize: 512,
    threads: 1,
    sequences: 1,
    flashAttention: false,
  })
  const sequence = context.getSequence()
  const options = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 7, yieldEogToken: true }
  tasks[LLAMA] = async () => {
    await sequence.clearHistory()
    let start
    let count = 0
    for await (const _ of sequence.evaluate([...prompt], options)) {
      start ??= process.cpuUsage()
      if (count++ === TOKENS) break
    }
    return since(start) / TOKENS
  }
}

try {
  const times = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
  for (const task of Object.values(tasks)) await task()
  for (let round = 0; round < rounds; round++)
    for (const [name, task] of Object.entries(tasks)) times[name].push(await task())
  const rows = Object.entries(times).map(
    ([name, values]) =>
      `| ${name} | ${(1e3 / best(values)).toFixed(0)} | ${best(values).toFixed(2)} ms | ${median(values).toFixed(2)} ms |`,
  )
  const percent = (from, to) =>
    [best, median]
      .map((of) => `${((of(times[from]) / of(times[to])) * 100).toFixed(1)} %`)
      .join(', median ')
  const lines = [
    '| engine | tokens per second of processor time | per token | median |',
    '|---|---|---|---|',
    ...rows,
    '',
    `With commitment: ${percent(COMMITTED, PLAIN)} of the time without (target <= 103 %).`,
    times[LLAMA] === undefined
      ? 'llama.cpp is not installed, so there is nothing to compare with.'
      : `Against llama.cpp: ${percent(LLAMA, COMMITTED)} of its tokens per second (target >= 60 %).`,
    '',
  ]
  process.stdout.write(lines.join('\n'))
} finally {
  await llama?.dispose()
  fs.rmSync(folder, { recursive: true, force: true })
}
