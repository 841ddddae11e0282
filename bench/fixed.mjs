// Tokens per second of the integer engine at batch 1, on a generated model of 24 million parameters in Q8_0, against llama.cpp with
// one thread, and what the commitment costs. The prompt is evaluated before the clock starts. Processor time, the best and the
// median of many short rounds, taking turns; the commitment's cost is the median difference of two executions of the same text
// that take turns every sixteen tokens. Prints a Markdown table.
// Build first (node scripts/build.mjs), then: node bench/fixed.mjs [rounds] [executions for the commitment's cost]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { loadFixedModel } from '../dist/inference/fixed/model.js'
import { run } from '../dist/inference/fixed/run.js'
import { toSampling } from '../dist/inference/fixed/sampler.js'
import { traceRoot } from '../dist/inference/fixed/trace.js'
import { generateModel } from '../dist/inference/generateModel.js'
import { findLlamaRuntime, hasLlamaRuntime } from '../dist/inference/llamaRuntime.js'

const [rounds = 40, pairs = 6] = process.argv.slice(2).map(Number)
const PROMPT = 'The quick brown fox jumps over the lazy dog.'
const TOKENS = 128
/** Tokens of a turn, and of an execution, where two take turns. */
const TURN = { tokens: 16, all: 800 }
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
const load = () => loadFixedModel({ name: 'model.gguf', path: file })
// A model has memory for one execution.
const [model, second] = [await load(), await load()]
const prompt = model.tokenizer.encode(PROMPT)

const requestOf = (room, commit, temperature = 0, topP = 1) => ({
  prompt,
  room,
  sampling: toSampling(temperature, topP, 7),
  signal: new AbortController().signal,
  commit,
})

/** Milliseconds per token after the first. */
async function runFixed(commit, temperature, topP) {
  const trace = []
  let start
  const request = requestOf(TOKENS + 1, commit, temperature, topP)
  const onChoice = () => (start ??= process.cpuUsage())
  for await (const step of run(model, { ...request, onChoice })) trace.push(step)
  if (commit) traceRoot(trace)
  return since(start) / TOKENS
}

/** An execution that goes on by a turn at a time: milliseconds per token, or undefined at its end. */
function inTurns(of, commit) {
  const steps = run(of, requestOf(TURN.all, commit))
  return async () => {
    const start = process.cpuUsage()
    const trace = []
    while (trace.filter(({ choice }) => choice !== undefined).length < TURN.tokens) {
      const { value, done } = await steps.next()
      if (done) return undefined
      trace.push(value)
    }
    if (commit) traceRoot(trace)
    return since(start) / TURN.tokens
  }
}

/** Turns without and with the commitment, next to each other in time and at the same positions: milliseconds per token. */
async function commitmentTurns() {
  const turns = []
  for (let pair = 0; pair < pairs; pair++) {
    // Neither memory nor order favours one of them.
    const models = pair % 2 === 0 ? [model, second] : [second, model]
    const plain = inTurns(models[0], false)
    const committed = inTurns(models[1], true)
    // The first turn holds the prompt.
    await Promise.all([plain(), committed()])
    for (let turn = 0; ; turn++) {
      const early = await (turn % 2 === 0 ? plain : committed)()
      const late = await (turn % 2 === 0 ? committed : plain)()
      if (early === undefined || late === undefined) break
      turns.push(turn % 2 === 0 ? [early, late] : [late, early])
    }
  }
  return turns
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
  const turns = await commitmentTurns()
  const plain = median(turns.map(([without]) => without))
  const cost = median(turns.map(([without, committed]) => committed - without))
  const lines = [
    '| engine | tokens per second of processor time | per token | median |',
    '|---|---|---|---|',
    ...rows,
    '',
    `The commitment costs ${(cost * 1e3).toFixed(0)} us of ${plain.toFixed(2)} ms per token, ${((cost / plain) * 100).toFixed(1)} %: medians of ${turns.length} turns of ${TURN.tokens} tokens (target <= 3 %).`,
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
