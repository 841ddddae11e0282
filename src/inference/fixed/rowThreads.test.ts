import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { generateModel } from '../generateModel.ts'
import { loadFixedModel } from './model.ts'
import { openRowThreads } from './rowThreads.ts'
import { openSoleSequence } from '../../../test/support/soleSequence.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-threads-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const SHAPE = { width: 512, layers: 1, heads: 8, keyHeads: 4, hidden: 2048, contextLength: 512 }

async function load(encoding: 'Q4_0' | 'F16') {
  const file = path.join(folder, `${encoding}.gguf`)
  fs.writeFileSync(file, generateModel({ seed: 9, shape: SHAPE, encoding }))
  return loadFixedModel({ name: encoding, path: file })
}

/** The logits after each of some batches of tokens, with threads that come and go. */
async function logitsWith(model: Awaited<ReturnType<typeof load>>, count: number) {
  const { weights, rope } = model
  const { kernels, shape } = weights
  const mark = kernels.mark()
  const threads = count > 1 ? openRowThreads([kernels], count) : undefined
  const session = openSoleSequence(weights, rope, 400, threads)
  const found: bigint[][] = []
  for (let turn = 0; turn < 12; turn++) {
    session.append(Array.from({ length: 1 + ((turn * 7) % 32) }, (_, i) => 3 + ((turn + i) % 200)))
    found.push([
      ...new BigInt64Array(kernels.bytes().slice(session.logits()).buffer, 0, shape.vocabulary),
    ])
    // Threads start meanwhile.
    await sleep(turn < 6 ? 20 : 0)
  }
  session.close()
  await threads?.close()
  expect(kernels.mark()).toBe(mark)
  return found
}

// Holds D35, D134.
test.each(['Q4_0', 'F16'] as const)(
  'any number of threads gives the same logits (%s)',
  async (name) => {
    const model = await load(name)
    const alone = await logitsWith(model, 1)
    for (const count of [2, 3, 5]) expect(await logitsWith(model, count)).toEqual(alone)
  },
)
