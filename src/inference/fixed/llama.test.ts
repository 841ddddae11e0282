/**
 * The integer engine compared with llama.cpp: the same tokens of a text, and nearly always the same likeliest next
 * token.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { BLOCK_ENCODINGS } from '../../../test/support/blockEncodings.ts'
import { generateModel, type GeneratedEncoding } from '../generateModel.ts'
import {
  findLlamaRuntime,
  hasLlamaRuntime,
  LLAMA_INSTALL_COMMAND,
  type Llama,
} from '../llamaRuntime.ts'
import { loadFixedModel } from './model.ts'
import { openSoleSequence } from '../../../test/support/soleSequence.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-agreement-'))
const SHAPE = { width: 128, layers: 4, heads: 4, keyHeads: 2, hidden: 384, contextLength: 512 }
const TOKENS = 100
let opened: Promise<Llama> | undefined

function llama(): Promise<Llama> {
  opened ??= findLlamaRuntime().start(() => undefined)
  return opened
}

afterAll(async () => {
  await (await opened)?.dispose()
  fs.rmSync(folder, { recursive: true })
})

async function loadBoth(
  encoding: GeneratedEncoding,
  shape = SHAPE,
  ropeFactors?: readonly number[],
) {
  const name = `${typeof encoding === 'string' ? encoding : encoding.type}.gguf`
  const file = path.join(folder, name)
  fs.writeFileSync(
    file,
    generateModel({ seed: 11, shape, encoding, ...(ropeFactors && { ropeFactors }) }),
  )
  const theirs = await (await llama()).loadModel({ modelPath: file, gpuLayers: 0 })
  return { ours: await loadFixedModel({ name, path: file }), theirs }
}

/** Blocks of some encodings have 256 values. */
const WIDE = { ...SHAPE, width: 256, hidden: 512, layers: 2 }

/** One for each of the 16 pairs of a head. */
const FACTORS = Array.from({ length: 16 }, (_, pair) => 1 + pair ** 2 / 8)

type Case = readonly [string, GeneratedEncoding, typeof SHAPE, readonly number[] | undefined]

const ENCODED: readonly Case[] = [
  ['F16 with factors of the angles', 'F16', SHAPE, FACTORS],
  ...(['Q8_0', 'Q4_0', 'F16'] as const).map((name): Case => [name, name, SHAPE, undefined]),
  ...Object.entries(BLOCK_ENCODINGS).map(([name, encoding]): Case => [
    name,
    encoding,
    WIDE,
    undefined,
  ]),
]

// Holds D119, D121.
test.skipIf(!isInstalled).each(ENCODED)(
  'given the same tokens, the likeliest next one is that of llama.cpp nearly always (%s)',
  async (name, encoding, shape, factors) => {
    const { ours, theirs } = await loadBoth(encoding, shape, factors)
    const prompt = ours.tokenizer.encode('The quick brown fox jumps over the lazy dog.')
    const context = await theirs.createContext({
      contextSize: 256,
      batchSize: 512,
      threads: 1,
      sequences: 1,
      flashAttention: false,
    })
    const options = { temperature: 1, topP: 1, topK: 0, minP: 0, seed: 7, yieldEogToken: true }
    const forced: number[] = []
    // Sampled tokens make a text that does not repeat itself.
    for await (const token of context.getSequence().evaluate(prompt, options)) {
      forced.push(token)
      if (forced.length === TOKENS) break
    }
    await context.dispose()

    const checked = await theirs.createContext({
      contextSize: 256,
      batchSize: 512,
      threads: 1,
      sequences: 1,
      flashAttention: false,
    })
    const sequence = checked.getSequence()
    const session = openSoleSequence(ours.weights, ours.rope, prompt.length + TOKENS)
    const { kernels } = ours.weights
    let same = 0
    let input = prompt
    for (const next of forced) {
      for (const token of input) session.append([token])
      let theirChoice: number | undefined
      const greedy = { ...options, temperature: 0 }
      for await (const token of sequence.evaluate(input, greedy)) {
        theirChoice = token
        break
      }
      if (kernels.likeliest(session.logits(), ours.weights.shape.vocabulary) === theirChoice) same++
      input = [next]
    }
    session.close()
    await checked.dispose()
    await theirs.dispose()
    process.stdout.write(`${name}: top-1 as llama.cpp in ${same} of ${TOKENS}\n`)
    expect(same).toBeGreaterThanOrEqual(TOKENS * 0.95)
  },
  60_000,
)

test.skipIf(!isInstalled)('texts have the tokens that they have in llama.cpp', async () => {
  const { ours, theirs } = await loadBoth('Q8_0')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      expect(ours.tokenizer.encode(text).slice(1)).toEqual([...theirs.tokenize(text, false)])
    }),
    { numRuns: 300 },
  )
  await theirs.dispose()
})
