import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Engine, GenerateRequest } from './engine.ts'
import { InferenceError } from './errors.ts'
import { encodeGguf } from './ggufWriter.ts'
import { openLlamaEngine } from './llama.ts'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from './llamaRuntime.ts'
import { openModelFolder } from './models.ts'
import { ensureTinyModel, TINY_MODEL } from './tinyModel.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-llama-'))
ensureTinyModel(folder)
const models = openModelFolder(folder)
let opened: Engine | undefined

function engine(): Engine {
  opened ??= openLlamaEngine({ maxContext: 1024, keepLoaded: 1 })
  return opened
}

afterAll(() => opened?.close())

async function generate(change: Partial<GenerateRequest> = {}) {
  return await engine().generate({
    model: await models.open(TINY_MODEL),
    prompt: 'What is AI?',
    temperature: 0,
    topP: 1,
    maxTokens: 16,
    seed: 7n,
    signal: new AbortController().signal,
    ...change,
  })
}

const PRINTABLE = /^[ -~]+$/

test.skipIf(!isInstalled).each([
  ['an empty text', ''],
  ['a space', ' '],
  ['Unicode', 'é漢🦊 ок'],
  ['a zero byte', 'a\0b'],
  ['a lone surrogate', '\ud800'],
  ['control tokens as text', '<s></s><unk><0x00>'],
  ['many lines', 'one\r\ntwo\n\tthree'],
])('the prompt "%s" gives printable text at any temperature', async (_name, prompt) => {
  for (const temperature of [0, 1, 100]) {
    const { output, tokens, finishReason } = await generate({ prompt, temperature })
    expect(output).toMatch(PRINTABLE)
    expect({ tokens, finishReason }).toEqual({ tokens: 16, finishReason: 'length' })
    expect(output.length).toBe(16)
  }
})

test.skipIf(!isInstalled)(
  'the same request gives the same text, another seed another',
  async () => {
    const sampled = { temperature: 1.5, topP: 0.95, maxTokens: 32 }
    const first = await generate(sampled)
    expect(await generate(sampled)).toEqual(first)
    expect((await generate({ ...sampled, seed: 8n })).output).not.toBe(first.output)
  },
)

test.skipIf(!isInstalled)(
  'the text comes piece by piece, and the pieces are the output',
  async () => {
    const pieces: string[] = []
    const { output } = await generate({ onText: (text) => pieces.push(text) })
    expect(pieces.join('')).toBe(output)
    expect(pieces.length).toBeGreaterThan(8)
  },
)

test.skipIf(!isInstalled)('max_tokens is honoured, and the context ends a generation', async () => {
  expect((await generate({ maxTokens: 1 })).tokens).toBe(1)
  const { tokens, finishReason } = await generate({ prompt: 'x'.repeat(1000), maxTokens: 500 })
  expect(tokens).toBe(23)
  expect(finishReason).toBe('length')
})

test.skipIf(!isInstalled)('a prompt beyond the context is refused with both sizes', async () => {
  await expect(generate({ prompt: 'x'.repeat(2000) })).rejects.toThrow(
    'the prompt has 2001 tokens, but model "tiny.gguf" accepts at most 1023 here',
  )
})

test.skipIf(!isInstalled)(
  'a model that llama.cpp does not know is refused, and others go on',
  async () => {
    const head = encodeGguf(
      {
        'general.architecture': { type: 'string', value: 'no-such-architecture' },
        'no-such-architecture.context_length': { type: 'uint32', value: 64 },
      },
      [],
    )
    fs.writeFileSync(path.join(folder, 'strange.gguf'), head)
    const error = await generate({ model: await models.open('strange.gguf') }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'unsupported-model', retry: true })
    expect((error as Error).message).toContain('no-such-architecture')
    expect((await generate()).tokens).toBe(16)
  },
)

test.skipIf(!isInstalled)(
  'an aborted generation ends, and the next one is not harmed',
  async () => {
    const aborting = new AbortController()
    const long = generate({ maxTokens: 1000, signal: aborting.signal })
    const next = generate()
    aborting.abort(new Error('no longer needed'))
    await expect(long).rejects.toThrow('no longer needed')
    expect((await next).tokens).toBe(16)
  },
)

test.skipIf(!isInstalled).each([
  [{ temperature: -1 }, 'temperature'],
  [{ temperature: Number.NaN }, 'temperature'],
  [{ topP: 0 }, 'top_p'],
  [{ topP: 1.1 }, 'top_p'],
  [{ maxTokens: 0 }, 'max_tokens'],
  [{ seed: -1n }, 'seed'],
])('%o is refused', async (change, name) => {
  await expect(generate(change)).rejects.toMatchObject({
    code: 'bad-parameters',
    message: expect.stringContaining(name) as string,
  })
})

// Holds D39a.
test('a missing binding is an error that says how to get it', () => {
  expect(() => openLlamaEngine({ runtimeFolder: folder })).toThrow(LLAMA_INSTALL_COMMAND)
  expect(() => openLlamaEngine({ runtimeFolder: folder })).toThrow(InferenceError)
})
