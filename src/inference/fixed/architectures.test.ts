/** Every architecture against a slow reference in double precision, and against llama.cpp. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  architectureModel,
  PLANS,
  type ArchitectureModel,
  type ModelPlan,
} from '../../../test/support/architectureModel.ts'
import { floatLogits } from '../../../test/support/floatModel.ts'
import { toHex } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import {
  findLlamaRuntime,
  hasLlamaRuntime,
  LLAMA_INSTALL_COMMAND,
  type Llama,
} from '../llamaRuntime.ts'
import { ARCHITECTURES } from './architectures.ts'
import { loadFixedModel, type FixedModel } from './model.ts'
import { openSoleSequence } from '../../../test/support/soleSequence.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-architectures-'))
let opened: Promise<Llama> | undefined

afterAll(async () => {
  await (await opened)?.dispose()
  fs.rmSync(folder, { recursive: true })
})

const cases = Object.entries(PLANS)

type Loaded = ArchitectureModel & { readonly path: string; readonly ours: FixedModel }

async function load(name: string, plan: ModelPlan): Promise<Loaded> {
  const model = architectureModel(plan, 5)
  const file = path.join(folder, `${name.replaceAll(/\W+/g, '-')}.gguf`)
  fs.writeFileSync(file, model.file)
  return { ...model, path: file, ours: await loadFixedModel({ name, path: file }) }
}

/** The logits after each token, as the integer engine has them. */
function ownLogits({ weights, rope }: FixedModel, tokens: readonly number[], capacity: number) {
  const session = openSoleSequence(weights, rope, capacity)
  const { kernels, shape } = weights
  const all = tokens.map((token) => {
    session.append([token])
    const logits = new BigInt64Array(kernels.bytes().buffer, session.logits(), shape.vocabulary)
    return Array.from(logits, (logit) => Number(logit) / 2 ** 24)
  })
  session.close()
  return all
}

/** Root of the model, and hash of the last logits. */
const GOLDEN: readonly (readonly [string, string])[] = [
  ['llama, as in Llama 2', 'ed890921d4f433cb 9c2bf8e5c42c66fc'],
  ['llama with heads of another width, as in Mistral Nemo', '76f313b91706ec41 0a6c00ea5e16df62'],
  ['llama with a window, as in Mistral 0.1', 'f4b507fdfbd0026c 20d9c4c0c2f8b922'],
  ['llama with linear angles', 'c5d47a40bafec64a 1d214c6aa76c7110'],
  ['qwen2', '8e3c052c9a8b7019 c6ffba146beab2a1'],
  ['qwen3', 'c5397501890fd112 3abef1bea5375a30'],
  ['phi3', 'c99f198ce1c1c2cf 41413dda768ed484'],
  ['phi3 with a window', '15f354e55d38737f 348bfbf4ab23afac'],
  ['phi3 with part of each head rotated, and factors', 'a4156d2fc057b4a8 afe5fd95adf8e756'],
  ['gemma', '28fbf5191a384625 82d2e7ba67eb73fa'],
  ['gemma2', '36b2e0cd3bfba436 39075aa5a2b109de'],
  ['gemma3', '2e1a648f0b6cdd8b 1f2a2cbb1307cefc'],
]

const TEXT = 'The quick brown fox jumps over it.'

test('every architecture of the table has a model here', () => {
  const tested = new Set(Object.values(PLANS).map(({ architecture }) => architecture))
  expect([...tested].sort()).toEqual(Object.keys(ARCHITECTURES).sort())
})

// Holds D127.
test.each(cases)(
  'logits are those of a reference in double precision (%s)',
  async (name, plan) => {
    const model = await load(name, plan)
    const tokens = model.ours.tokenizer.encode(TEXT)
    // Short and long factors of the angles, where there are some.
    for (const capacity of plan.longFactors.length > 0 ? [32, 64] : [64]) {
      const used = tokens.slice(0, capacity)
      const exact = floatLogits(plan, model.weights, used, capacity)
      const own = ownLogits(model.ours, used, capacity)
      const size = Math.max(...exact.flat().map(Math.abs))
      const error = Math.max(
        ...own.flatMap((logits, t) =>
          logits.map((logit, i) => Math.abs(logit - (exact[t]?.[i] ?? 0))),
        ),
      )
      process.stdout.write(
        `${name}: largest logit ${size.toFixed(2)}, error ${error.toExponential(1)}\n`,
      )
      expect(error / size).toBeLessThan(2 ** -9)
    }
  },
  60_000,
)

test.each(GOLDEN)('%s gives the same bits on every machine', async (name, hashes) => {
  const { ours } = await load(name, PLANS[name] as ModelPlan)
  const tokens = ours.tokenizer.encode(TEXT)
  const logits = ownLogits(ours, tokens, 64).at(-1) ?? []
  const steps = BigInt64Array.from(logits, (logit) => BigInt(logit * 2 ** 24))
  const found = [ours.root, sha256(new Uint8Array(steps.buffer))]
  expect(found.map((hash) => toHex(hash).slice(2, 18)).join(' ')).toBe(hashes)
})

const GREEDY = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 7, yieldEogToken: true }

/** llama.cpp leaves the window of these files out, or says nothing about it. */
const WITHOUT_WINDOW = new Set(['llama', 'phi3'])

test
  .skipIf(!isInstalled)
  .each(
    cases.filter(
      ([, { architecture, window }]) => window === 0 || !WITHOUT_WINDOW.has(architecture),
    ),
  )(
  'given the same tokens, the likeliest next one is that of llama.cpp (%s)',
  async (name, plan) => {
    const { ours, path: modelPath } = await load(name, plan)
    opened ??= findLlamaRuntime().start(() => undefined)
    const theirs = await (await opened).loadModel({ modelPath, gpuLayers: 0 })
    const context = await theirs.createContext({
      contextSize: 256,
      batchSize: 512,
      threads: 1,
      sequences: 1,
      flashAttention: false,
    })
    const sequence = context.getSequence()
    const tokens = ours.tokenizer.encode(TEXT)
    // llama.cpp chooses the factors of the angles by the size of its context.
    const own = ownLogits(ours, tokens, 256)
    let same = 0
    for (const [i, token] of tokens.entries())
      for await (const choice of sequence.evaluate([token], GREEDY)) {
        const logits = own[i] ?? []
        if (logits.indexOf(Math.max(...logits)) === choice) same++
        break
      }
    await context.dispose()
    await theirs.dispose()
    process.stdout.write(`${name}: top-1 as llama.cpp in ${same} of ${tokens.length}\n`)
    expect(same).toBeGreaterThanOrEqual(tokens.length - 1)
  },
  60_000,
)
