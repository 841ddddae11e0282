import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { InferenceError } from '../errors.ts'
import { generateModel } from '../generateModel.ts'
import { loadFixedModel } from './model.ts'
import { parseModelHead } from './modelFile.ts'
import { run } from './run.ts'
import { toSampling } from './sampler.ts'

const SHAPE = { width: 32, layers: 1, heads: 2, keyHeads: 1, hidden: 32, contextLength: 64 }
const whole = generateModel({ seed: 3, shape: SHAPE })
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-fuzz-'))
const file = path.join(folder, 'model.gguf')
/** Bytes before the weights. */
const HEAD = 10_000

afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Loads and runs a file; true when it ran, false when it was refused. Anything else is thrown. */
async function tryModel(bytes: Uint8Array): Promise<boolean> {
  fs.writeFileSync(file, bytes)
  try {
    const model = await loadFixedModel({ name: 'model.gguf', path: file })
    const prompt = model.tokenizer.encode('a').slice(0, 4)
    const { signal } = new AbortController()
    let steps = 0
    for await (const _ of run(model, { prompt, sampling: toSampling(1, 1, 0n), room: 2, signal }))
      steps++
    return steps > 0
  } catch (error) {
    expect(error).toBeInstanceOf(InferenceError)
    expect(error).toMatchObject({ code: 'unsupported-model' })
    return false
  }
}

test('every tensor is found where it lies', () => {
  const { metadata, tensors } = parseModelHead(whole, whole.length)
  expect(metadata.get('llama.embedding_length')).toBe(32)
  const last = tensors.get('output.weight')
  expect(last).toMatchObject({ columns: 32, type: 8 })
  expect((last?.offset ?? 0) + (last?.rows ?? 0) * 34).toBe(whole.length)
})

test('a file that ends early is refused, wherever it ends', async () => {
  expect(await tryModel(whole)).toBe(true)
  for (let length = 0; length < whole.length; length += 997)
    expect(await tryModel(whole.subarray(0, length))).toBe(false)
})

test('changed bytes give a model that runs, or one that is refused', async () => {
  const change = fc.tuple(fc.nat(HEAD), fc.nat(255))
  let refused = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Uint8Array.from(whole)
      for (const [offset, value] of changes) bytes[offset] = value
      if (!(await tryModel(bytes))) refused++
    }),
    { numRuns: 300 },
  )
  expect(refused).toBeGreaterThan(0)
})

test('any weights give a model that runs, or one that is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(255)), fc.nat(20_000), async (values, from) => {
      const bytes = Uint8Array.from(whole)
      const iterator = values[Symbol.iterator]()
      const start = Math.max(HEAD * 2, whole.length - 1 - from)
      for (let i = start; i < Math.min(start + 400, bytes.length); i++)
        bytes[i] = iterator.next().value as number
      await tryModel(bytes)
    }),
    { numRuns: 50 },
  )
})
