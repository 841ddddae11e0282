import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { GenerateRequest } from '../engine.ts'
import { generateModel, type GeneratedEncoding } from '../generateModel.ts'
import { encodeGguf } from '../ggufWriter.ts'
import { openModelFolder } from '../models.ts'
import { ensureTinyModel, TINY_MODEL } from '../tinyModel.ts'
import { openFixedEngine } from './engine.ts'
import { loadFixedModel } from './model.ts'
import { run } from './run.ts'
import { toSampling } from './sampler.ts'
import { traceRoot, type Trace, type TokenTrace } from './trace.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-fixed-'))
ensureTinyModel(folder)
const SHAPE = { width: 96, layers: 2, heads: 4, keyHeads: 1, hidden: 160, contextLength: 512 }
for (const encoding of ['Q8_0', 'Q4_0', 'F16'] satisfies GeneratedEncoding[])
  fs.writeFileSync(
    path.join(folder, `${encoding}.gguf`),
    generateModel({ seed: 5, shape: SHAPE, encoding }),
  )
const models = openModelFolder(folder)
const engine = openFixedEngine({ maxContext: 1024 })

afterAll(async () => {
  await engine.close()
  fs.rmSync(folder, { recursive: true })
})

async function request(change: Partial<GenerateRequest> = {}, model = TINY_MODEL) {
  return {
    model: await models.open(model),
    prompt: 'What is AI?',
    temperature: 0,
    topP: 1,
    maxTokens: 32,
    seed: 7n,
    signal: new AbortController().signal,
    ...change,
  }
}

const generate = async (change: Partial<GenerateRequest> = {}, model = TINY_MODEL) =>
  engine.generate(await request(change, model))

// Holds D128: the roots are those of the release that knew no other architecture.
test.each([
  [TINY_MODEL, '6190791bbae97cab 3efcf2130ed1dcd4 b9e031bc244b84b0'],
  ['Q8_0.gguf', 'dd632b220738a4be f15949827fbe5680 12d1abc164a0019e'],
  ['Q4_0.gguf', 'd482dee787ee47e4 c8e284e6dfd1580f 7e41211c90912452'],
  ['F16.gguf', '4199cbbec33a6c8a bffc3acac6b4d302 6a1ac0eaa113431e'],
])('%s gives the same steps on every machine', async (model, roots) => {
  const greedy = await generate({}, model)
  const sampled = await generate({ temperature: 0.8, topP: 0.9 }, model)
  const found = [
    greedy.commitment?.modelRoot,
    greedy.commitment?.traceRoot,
    sampled.commitment?.traceRoot,
  ].map((root) => root?.slice(2, 18))
  expect(found.join(' ')).toBe(roots)
})

test('two runs are equal, and another seed gives another text', async () => {
  const sampled = { temperature: 1.5, topP: 0.95 }
  const first = await generate(sampled)
  expect(await generate(sampled)).toEqual(first)
  expect((await generate({ ...sampled, seed: 8n })).output).not.toBe(first.output)
})

async function traceOf(batch: number): Promise<Trace> {
  const model = await loadFixedModel({ name: TINY_MODEL, path: path.join(folder, TINY_MODEL) })
  const trace: TokenTrace[] = []
  const prompt = model.tokenizer.encode('A prompt that is longer than some batches.')
  const sampling = toSampling(0, 1, 0n)
  const { signal } = new AbortController()
  for await (const step of run(model, { prompt, sampling, room: 4, signal, batch }))
    trace.push(step)
  return trace
}

test('a prompt gives the same steps however it is cut', async () => {
  const whole = await traceOf(8)
  for (const batch of [1, 3, 5]) expect(await traceOf(batch)).toEqual(whole)
})

test('the text comes piece by piece, and the pieces are the output', async () => {
  const pieces: string[] = []
  const { output, tokens } = await generate({ onText: (text) => pieces.push(text) })
  expect(pieces.join('')).toBe(output)
  expect(pieces).toHaveLength(tokens)
})

test.each(['', ' ', 'é漢🦊 ок', 'a\0b', '\ud800', '<s></s><unk><0x00>', 'one\r\ntwo\n\tthree'])(
  'the prompt %j gives printable text at any temperature',
  async (prompt) => {
    for (const temperature of [0, 1, 100]) {
      const { output, tokens } = await generate({ prompt, temperature, maxTokens: 16 })
      expect(output).toMatch(/^[ -~]{16}$/)
      expect(tokens).toBe(16)
    }
  },
)

test('max_tokens is honoured, and the context ends a generation', async () => {
  expect((await generate({ maxTokens: 1 })).tokens).toBe(1)
  const { tokens, finishReason } = await generate({ prompt: 'x'.repeat(1000), maxTokens: 500 })
  expect({ tokens, finishReason }).toEqual({ tokens: 23, finishReason: 'length' })
  await expect(generate({ prompt: 'x'.repeat(2000) })).rejects.toThrow(
    'the prompt has 2001 tokens, but model "tiny.gguf" accepts at most 1023 here',
  )
})

test('an aborted generation ends, and the next one is not harmed', async () => {
  const aborting = new AbortController()
  const long = generate({ maxTokens: 1000, signal: aborting.signal })
  const next = generate()
  aborting.abort(new Error('no longer needed'))
  await expect(long).rejects.toThrow('no longer needed')
  expect((await next).tokens).toBe(32)
})

// Holds D35.
test('an honest trace is repeated without a difference', async () => {
  const sampled = { temperature: 0.7, topP: 0.8 }
  const { commitment } = await generate(sampled)
  expect(await engine.replay(await request(sampled), commitment?.trace ?? [])).toBeUndefined()
})

const forged = new Uint8Array(32).fill(1)

test.each([
  ['layer', { position: 9, step: 'layer', layer: 2 }],
  ['logits', { position: 20, step: 'logits' }],
  ['choice', { position: 20, step: 'choice' }],
  ['token', { position: 9, step: 'token' }],
  ['end', { position: 20, step: 'end' }],
])('a forged %s is named as the first step that differs', async (kind, divergence) => {
  const { commitment } = await generate()
  const trace = commitment?.trace ?? []
  const change = (step: TokenTrace): TokenTrace => {
    if (step.position !== divergence.position) return step
    const { choice } = step
    if (kind === 'layer')
      return { ...step, layers: step.layers.map((leaf, i) => (i === 2 ? forged : leaf)) }
    if (kind === 'token') return { ...step, token: 0 }
    if (choice === undefined) throw new Error('there is no choice at this position')
    return {
      ...step,
      choice: kind === 'logits' ? { ...choice, logits: forged } : { ...choice, token: 0 },
    }
  }
  const claimed = kind === 'end' ? trace.slice(0, 20) : trace.map(change)
  expect(await engine.replay(await request(), claimed)).toEqual(divergence)
  expect(traceRoot(claimed)).not.toEqual(traceRoot(trace))
})

test('an architecture that is not supported is refused with those that are', async () => {
  fs.writeFileSync(
    path.join(folder, 'strange.gguf'),
    encodeGguf(
      {
        'general.architecture': { type: 'string', value: 'mamba' },
        'mamba.context_length': { type: 'uint32', value: 64 },
      },
      [],
    ),
  )
  await expect(generate({}, 'strange.gguf')).rejects.toMatchObject({
    code: 'unsupported-model',
    message:
      'model "strange.gguf": the fixed engine cannot run this model: its architecture is "mamba"; supported: llama, qwen2, qwen3, phi3, gemma, gemma2, gemma3',
  })
})

test.each([
  [{ temperature: -1 }, 'temperature'],
  [{ topP: 0 }, 'top_p'],
  [{ maxTokens: 0 }, 'max_tokens'],
  [{ seed: -1n }, 'seed'],
])('%o is refused', async (change, name) => {
  await expect(generate(change)).rejects.toThrow(name)
})
