/** Models that do not fit in one memory of WebAssembly. */
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generateModel } from '../generateModel.ts'
import { createBatch } from './batch.ts'
import { planMemories } from './memoryPlan.ts'
import { loadFixedModel } from './model.ts'
import { readModelHead, type ModelHead, type TensorInfo } from './modelFile.ts'
import { run } from './run.ts'
import { toSampling } from './sampler.ts'
import { readShape } from './shape.ts'
import { openSoleSequence } from '../../../test/support/soleSequence.ts'
import type { TokenTrace, Trace } from './trace.ts'
import { loadWeights, type Weights } from './weights.ts'

const MIB = 1024 ** 2
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-memories-'))
const file = path.join(folder, 'model.gguf')
const SHAPE = { width: 128, layers: 6, heads: 4, keyHeads: 2, hidden: 256, contextLength: 512 }
fs.writeFileSync(file, generateModel({ seed: 3, shape: SHAPE, encoding: 'Q4_0' }))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const model = await loadFixedModel({ name: 'model.gguf', path: file })

async function weightsIn(limit: number): Promise<Weights> {
  const handle = await open(file)
  try {
    const head = await readModelHead(handle)
    return await loadWeights(handle, head, readShape(head), limit)
  } finally {
    await handle.close()
  }
}

async function traceOf(weights: Weights): Promise<Trace> {
  const trace: TokenTrace[] = []
  const request = {
    prompt: model.tokenizer.encode('A prompt that is longer than a batch of thirty-two tokens.'),
    sampling: toSampling(0.7, 0.9, 3n),
    room: 40,
    signal: new AbortController().signal,
  }
  for await (const step of run({ ...model, weights, batch: createBatch(weights) }, request))
    trace.push(step)
  return trace
}

// Holds D132.
test('layers in several memories give the same steps as in one', async () => {
  const whole = await traceOf(model.weights)
  for (const limit of [17.5 * MIB, 18.5 * MIB]) {
    const weights = await weightsIn(limit)
    expect(new Set(weights.layers.map(({ kernels }) => kernels)).size).toBeGreaterThan(1)
    expect(await traceOf(weights)).toEqual(whole)
  }
})

test('a context that does not fit is refused, and the next one is not harmed', async () => {
  const weights = await weightsIn(20 * MIB)
  const marks = weights.layers.map(({ kernels }) => kernels.mark())
  expect(() => openSoleSequence(weights, model.rope, 400_000)).toThrow(
    'a part of the model needs more than the 20 MiB of memory that one part can have',
  )
  expect(weights.layers.map(({ kernels }) => kernels.mark())).toEqual(marks)
  expect(await traceOf(weights)).toEqual(await traceOf(model.weights))
})

const Q4_0 = 2
const Q4_K = 12
const Q6_K = 14

/** The tensors of a model with the sizes of one of seven or eight billion weights. */
function largeHead(type: number, sizes: ReturnType<typeof largeShape>): ModelHead {
  const { width, hidden, keyHeads, headSize, vocabulary, layers } = sizes
  const keyWidth = keyHeads * headSize
  const tensors = new Map<string, TensorInfo>()
  const add = (name: string, rows: number, columns: number, as = type): unknown =>
    tensors.set(name, { name, type: as, rows, columns, offset: 0 })
  add('token_embd.weight', vocabulary, width)
  add('output.weight', vocabulary, width, Q6_K)
  for (let i = 0; i < layers; i++) {
    add(`blk.${i}.attn_q.weight`, width, width)
    add(`blk.${i}.attn_k.weight`, keyWidth, width)
    add(`blk.${i}.attn_v.weight`, keyWidth, width)
    add(`blk.${i}.attn_output.weight`, width, width)
    add(`blk.${i}.ffn_gate.weight`, hidden, width)
    add(`blk.${i}.ffn_up.weight`, hidden, width)
    add(`blk.${i}.ffn_down.weight`, width, hidden)
  }
  return { metadata: new Map(), tensors, size: 0 }
}

function largeShape(hidden: number, keyHeads: number, vocabulary: number, contextLength: number) {
  const { shape } = model.weights
  const large = { width: 4096, layers: 32, heads: 32, headSize: 128 }
  return { ...shape, ...large, hidden, keyHeads, vocabulary, contextLength }
}

test.each([
  ['Llama 2 7B, Q4_0', Q4_0, largeShape(11_008, 32, 32_000, 4096)],
  ['Llama 3 8B, Q4_K', Q4_K, largeShape(14_336, 8, 128_256, 131_072)],
])('%s fits in two memories, with room for its context', (_name, type, shape) => {
  const starts = planMemories(largeHead(type, shape), shape)
  expect(starts).toHaveLength(32)
  expect(starts.filter(Boolean)).toHaveLength(1)
})
