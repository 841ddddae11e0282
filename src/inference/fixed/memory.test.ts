/** Memory is reserved before a job begins: what does not fit is refused, and nothing grows beyond what was reserved. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { architectureModel, PLANS } from '../../../test/support/architectureModel.ts'
import { generateModel } from '../generateModel.ts'
import { machineMemory } from '../machineMemory.ts'
import { openModelFolder } from '../models.ts'
import { openFixedEngine } from './engine.ts'
import { contextBytes, HASH_BATCH, weightBytes } from './memoryNeed.ts'
import { loadFixedModel } from './model.ts'
import { readModelHead } from './modelFile.ts'
import { openSoleSequence } from '../../../test/support/soleSequence.ts'
import { createModelHasher } from './modelHasher.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-memory-'))
const SHAPE = { width: 128, layers: 4, heads: 4, keyHeads: 4, hidden: 256, contextLength: 100_000 }
for (const encoding of ['Q8_0', 'Q4_0', 'F16'] as const)
  fs.writeFileSync(
    path.join(folder, `${encoding}.gguf`),
    generateModel({ seed: 3, shape: SHAPE, encoding }),
  )
for (const [name, plan] of Object.entries(PLANS).filter(([key]) => !key.includes(' ')))
  fs.writeFileSync(path.join(folder, `${name}.gguf`), architectureModel(plan, 1).file)
const models = openModelFolder(folder)

afterAll(() => fs.rmSync(folder, { recursive: true }))

const files = fs.readdirSync(folder)

// Holds D129.
test.each(files)('%s takes no more memory than was reckoned', async (name) => {
  const file = path.join(folder, name)
  const handle = await fs.promises.open(file)
  const head = await readModelHead(handle)
  await handle.close()
  const { weights, rope } = await loadFixedModel({ name, path: file })
  const { kernels, shape } = weights
  const loaded = kernels.mark()
  expect(loaded).toBeLessThanOrEqual(weightBytes(head))
  for (const tokens of [1, 100, 5000]) {
    const session = openSoleSequence(weights, rope, tokens)
    createModelHasher(weights, session.stepSizes, HASH_BATCH)
    const taken = kernels.mark() - loaded
    const reckoned = contextBytes(shape, tokens)
    expect(taken).toBeLessThanOrEqual(reckoned)
    // And it is not guessed: but for what does not depend on the model, it is within a few percent.
    expect(reckoned - taken).toBeLessThan(9 * 1024 * 1024 + taken * 0.05)
    session.close()
  }
})

async function ask(memory: number, model: string, maxTokens: number) {
  const engine = openFixedEngine({ memory, maxContext: 100_000 })
  try {
    return await engine.generate({
      model: await models.open(model),
      prompt: 'x',
      temperature: 0,
      topP: 1,
      maxTokens,
      seed: 0n,
      signal: new AbortController().signal,
    })
  } finally {
    await engine.close()
  }
}

test('a model that does not fit is refused before it is read', async () => {
  await expect(ask(5_000_000, 'Q8_0.gguf', 1)).rejects.toMatchObject({
    code: 'out-of-memory',
    retry: true,
    message: expect.stringMatching(
      /^model "Q8_0\.gguf": it needs \d+ MB for its weights, but this operator has 5 MB for models$/,
    ) as string,
  })
})

test('a context that does not fit is refused with what it needs, a smaller one runs', async () => {
  await expect(ask(60_000_000, 'Q8_0.gguf', 90_000)).rejects.toMatchObject({
    code: 'out-of-memory',
    message: expect.stringMatching(
      /^model "Q8_0\.gguf" needs \d+ MB for its weights and \d+ MB for a context of 90002 tokens, but this operator has 60 MB for models; ask for fewer tokens \(max_tokens\)$/,
    ) as string,
  })
  expect((await ask(60_000_000, 'Q8_0.gguf', 4)).tokens).toBe(4)
})

test('one model makes room for another, and what was refused leaves room', async () => {
  const engine = openFixedEngine({ memory: 45_000_000, keepLoaded: 8, maxContext: 100_000 })
  for (const [model, maxTokens, isTaken] of [
    ['Q8_0.gguf', 3, true],
    ['Q4_0.gguf', 3, true],
    ['F16.gguf', 90_000, false],
    ['qwen2.gguf', 3, true],
    ['Q8_0.gguf', 3, true],
  ] as const) {
    const done = engine.generate({
      model: await models.open(model),
      prompt: 'x',
      temperature: 0,
      topP: 1,
      maxTokens,
      seed: 0n,
      signal: new AbortController().signal,
    })
    if (isTaken) expect((await done).tokens).toBe(3)
    else await expect(done).rejects.toMatchObject({ code: 'out-of-memory' })
  }
  await engine.close()
})

test('by default most of the memory of the machine may be used', () => {
  expect(machineMemory()).toBeGreaterThan(100_000_000)
  expect(machineMemory()).toBeLessThan(os.totalmem())
})
