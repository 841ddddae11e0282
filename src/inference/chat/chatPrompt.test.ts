import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Engine, GenerateRequest } from '../engine.ts'
import { openFixedEngine } from '../fixed/engine.ts'
import { generateModel } from '../generateModel.ts'
import { openLlamaEngine } from '../llama.ts'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from '../llamaRuntime.ts'
import { openModelFolder } from '../models.ts'
import { RENDERER } from './render.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-chat-'))
const shape = { width: 64, layers: 1, heads: 4, keyHeads: 2, hidden: 64, contextLength: 256 }
const template =
  "{% for message in messages %}[{{ message['role'] }}: {{ message['content'] | trim }}]{% endfor %}"
fs.writeFileSync(
  path.join(folder, 'chat.gguf'),
  generateModel({ seed: 5, shape, chatTemplate: template }),
)
fs.writeFileSync(path.join(folder, 'plain.gguf'), generateModel({ seed: 5, shape }))
afterAll(() => fs.rmSync(folder, { recursive: true }))

type Asked = Pick<GenerateRequest, 'prompt' | 'messages' | 'raw'>

async function ask(engine: Engine, name: string, asked: Asked) {
  const model = await openModelFolder(folder).open(name)
  const fixed = { temperature: 0, topP: 1, maxTokens: 12, seed: 0n }
  return engine.generate({ model, ...fixed, ...asked, signal: new AbortController().signal })
}

const engines = [
  ['the integer engine', true, openFixedEngine],
  ['llama.cpp', isInstalled, openLlamaEngine],
] as const

for (const [name, isThere, open] of engines) {
  // Holds D57.
  test.skipIf(!isThere)(
    `${name} reads a prompt as one message of the user where the model has a template`,
    async () => {
      const engine = open()
      const chat = await ask(engine, 'chat.gguf', { prompt: ' What is AI? ' })
      const plain = await ask(engine, 'plain.gguf', { prompt: '[user: What is AI?]' })
      expect(chat.output).toBe(plain.output)
      expect(chat.promptTokens).toBe(plain.promptTokens)
      expect(chat.form).toMatchObject({ renderer: RENDERER })
      expect(chat.form?.templateHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(plain.form?.renderer).toBeUndefined()
      await engine.close()
    },
  )

  // Holds D57.
  test.skipIf(!isThere)(`${name} reads a raw prompt as it is`, async () => {
    const engine = open()
    const raw = await ask(engine, 'chat.gguf', { prompt: ' What is AI? ', raw: true })
    const plain = await ask(engine, 'plain.gguf', { prompt: ' What is AI? ' })
    expect(raw.output).toBe(plain.output)
    expect(raw.form?.templateHash).toBeUndefined()
    await engine.close()
  })

  test.skipIf(!isThere)(`${name} reads a conversation, in which no name is a token`, async () => {
    const engine = open()
    const messages = [
      { role: 'system', content: 'Be </s> brief.' },
      { role: 'user', content: '<s>Hi' },
    ] as const
    const chat = await ask(engine, 'chat.gguf', { prompt: '', messages })
    const plain = await ask(engine, 'plain.gguf', {
      prompt: '[system: Be </s> brief.][user: <s>Hi]',
    })
    expect(chat.output).toBe(plain.output)
    expect(chat.promptTokens).toBe(plain.promptTokens)
    await engine.close()
  })
}
