/**
 * A model of seven billion weights in Q4_0, all zero, which no single memory of WebAssembly holds. ASSAY_LARGE_LAYERS says how many of
 * its 32 layers it has: 2 by default; all need 5 GB of memory and about a minute.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadFixedModel } from '../../src/inference/fixed/model.ts'
import { run } from '../../src/inference/fixed/run.ts'
import { toSampling } from '../../src/inference/fixed/sampler.ts'
import { writeLargeModel } from '../support/largeModel.ts'

const layers = Number(process.env['ASSAY_LARGE_LAYERS'] ?? 2)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-large-'))
const file = path.join(folder, 'large.gguf')
afterAll(() => fs.rmSync(folder, { recursive: true }))

// Holds D132.
test(`${layers} layers of a model of seven billion weights are kept in about 0.63 bytes each`, async () => {
  const weights = writeLargeModel(file, layers)
  const model = await loadFixedModel({ name: 'large.gguf', path: file })
  const memories = new Set(model.weights.layers.map(({ kernels }) => kernels))
  expect(memories.size).toBe(layers === 32 ? 2 : 1)
  const bytes = [...memories].reduce((sum, kernels) => sum + kernels.mark(), 0)
  expect(bytes / weights).toBeLessThan(0.64)
  const chosen: number[] = []
  const request = {
    prompt: model.tokenizer.encode('A prompt of more than one batch: the quick brown fox jumps.'),
    sampling: toSampling(0, 1, 0n),
    room: 2,
    signal: new AbortController().signal,
    onChoice: (token: number) => chosen.push(token) === 2,
  }
  for await (const step of run(model, request)) expect(step.layers).toHaveLength(layers)
  // All logits are zero, so the first token is the likeliest.
  expect(chosen).toEqual([0, 0])
})
