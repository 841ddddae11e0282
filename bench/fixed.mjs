// Tokens per second of the integer engine on a generated model of 24 million parameters in Q8_0, against llama.cpp with one
// thread, and what the commitment costs. Processor time, the best of several rounds, taking turns; prints a Markdown table.
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

const [rounds = 15] = process.argv.slice(2).map(Number)
const PROMPT = 'The quick brown fox jumps over the lazy dog.'
const TOKENS = 128
const SHAPE = { width: 512, layers: 8, heads: 8, keyHeads: 4, hidden: 1408, contextLength: 2048 }

/** The round that was disturbed least: other programs slow a core down, and nothing speeds it up. */
const best = (values) => Math.min(...values)

/** Seconds of processor time, of all threads. */
async function seconds(task) {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-fixed-'))
const file = path.join(folder, 'model.gguf')
fs.writeFileSync(file, generateModel({ seed: 1, shape: SHAPE }))
const model = await loadFixedModel({ name: 'model.gguf', path: file })
const prompt = model.tokenizer.encode(PROMPT)

async function runFixed(commit, temperature = 0, topP = 1) {
  const trace = []
  const request = {
    prompt,
    room: TOKENS,
    sampling: toSampling(temperature, topP, 7),
    signal: new AbortController().signal,
    commit,
  }
  for await (const step of run(model, request)) trace.push(step)
  if (commit) traceRoot(trace)
}

/** Tasks by name; each generates TOKENS tokens after the prompt. */
const tasks = {
  'fixed, without commitment': () => runFixed(false),
  'fixed, with commitment': () => runFixed(true),
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
  tasks['llama.cpp, one thread'] = async () => {
    await sequence.clearHistory()
    let count = 0
    for await (const _ of sequence.evaluate([...prompt], options)) if (++count === TOKENS) break
  }
}

try {
  const times = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
  for (const task of Object.values(tasks)) await task()
  for (let round = 0; round < rounds; round++)
    for (const [name, task] of Object.entries(tasks)) times[name].push(await seconds(task))
  const rows = Object.entries(times).map(([name, values]) => {
    const rate = (TOKENS + prompt.length) / best(values)
    return `| ${name} | ${rate.toFixed(0)} | ${((best(values) * 1e3) / (TOKENS + prompt.length)).toFixed(2)} ms |`
  })
  const base = best(times['fixed, without commitment'])
  const share = best(times['fixed, with commitment']) / base - 1
  const against = times['llama.cpp, one thread']
  const lines = [
    '| engine | tokens per second of processor time | per token |',
    '|---|---|---|',
    ...rows,
    '',
    `Commitment: ${(share * 100).toFixed(1)} % (target <= 3 %).`,
    ...(against === undefined
      ? ['llama.cpp is not installed, so there is nothing to compare with.']
      : [
          `Against llama.cpp: ${((best(against) / best(times['fixed, with commitment'])) * 100).toFixed(0)} % (target >= 60 %).`,
        ]),
    '',
  ]
  process.stdout.write(lines.join('\n'))
} finally {
  await llama?.dispose()
  fs.rmSync(folder, { recursive: true, force: true })
}
