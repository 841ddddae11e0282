/** OpenAI's clients, unmodified, against the built program: openai, ai and langchain of npm, openai of PyPI (D63). */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { APICallError, generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts, newHome, runAssay, startAssay, type Running } from '../support/assay.ts'

const model = 'tiny.gguf'
const prompt = 'What is AI?'
const messages = [{ role: 'user' as const, content: prompt }]

let assay: Running
let baseURL: string
beforeAll(async () => {
  assay = await startAssay(newHome(), freePorts)
  baseURL = `${assay.up.dispatcher}/v1`
})
afterAll(async () => {
  await assay.stop()
  fs.rmSync(path.dirname(assay.home), { recursive: true, force: true })
})

const openai = (): OpenAI => new OpenAI({ apiKey: assay.up.token, baseURL })

test('openai: an answer, the same one as a stream, and its receipt verifies', async () => {
  const body = { model, messages, seed: 7, max_tokens: 24, temperature: 0.8 }
  const { data, response } = await openai().chat.completions.create(body).withResponse()
  const text = data.choices[0]?.message.content ?? ''
  expect(data.usage?.completion_tokens).toBe(24)

  const stream = await openai().chat.completions.create({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  })
  const parts: string[] = []
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of stream) {
    const part = chunk.choices[0]?.delta.content ?? ''
    if (part !== '') parts.push(part)
    usage = chunk.usage
  }
  expect(parts.join('')).toBe(text)
  expect(parts.length).toBeGreaterThan(1)
  expect(usage).toEqual(data.usage)

  const folder = path.dirname(assay.home)
  const promptFile = path.join(folder, 'messages.json')
  fs.writeFileSync(promptFile, JSON.stringify(messages, undefined, 2))
  const job = response.headers.get('x-assay-job') ?? ''
  const { code, output } = await runAssay(
    ['job', 'replay', job, '--prompt-file', promptFile]
      .concat('--model', path.join(assay.home, 'models', model))
      .concat('--dispatcher', assay.up.dispatcher),
    { ASSAY_PROJECT_TOKEN: assay.up.token },
  )
  expect(output).toContain('The execution is the same.')
  expect(code).toBe(0)
})

test('openai: a stop text ends the answer, and a completion reads its prompt as it is', async () => {
  const body = { model, prompt, max_tokens: 32, seed: 1 }
  const whole = (await openai().completions.create(body)).choices[0]?.text ?? ''
  const stop = whole.slice(8, 10)
  const cut = (await openai().completions.create({ ...body, stop })).choices[0]
  expect(cut).toMatchObject({ text: whole.slice(0, whole.indexOf(stop)), finish_reason: 'stop' })
  let streamed = ''
  for await (const chunk of await openai().completions.create({ ...body, stop, stream: true }))
    streamed += chunk.choices[0]?.text ?? ''
  expect(streamed).toBe(cut?.text)
})

test('openai: models are listed, and errors are of the classes that programs catch', async () => {
  const names = (await openai().models.list()).data.map(({ id }) => id)
  expect(names).toContain(model)
  const wrong = new OpenAI({ apiKey: 'wrong', baseURL })
  await expect(wrong.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  const unknown = openai().chat.completions.create({ model: 'no.gguf', messages })
  await expect(unknown).rejects.toBeInstanceOf(OpenAI.NotFoundError)
})

const provider = () =>
  createOpenAICompatible({ name: 'assay', apiKey: assay.up.token, baseURL, includeUsage: true })

test('ai: generateText and streamText', async () => {
  const asked = { model: provider()(model), prompt, seed: 7, maxOutputTokens: 16, maxRetries: 0 }
  const { text, usage, finishReason } = await generateText(asked)
  expect(text.length).toBeGreaterThan(0)
  expect([usage.outputTokens, finishReason]).toEqual([16, 'length'])
  const streamed = streamText(asked)
  let read = ''
  for await (const part of streamed.textStream) read += part
  expect(read).toBe(text)
  expect((await streamed.usage).outputTokens).toBe(16)
  await expect(generateText({ ...asked, model: provider()('no.gguf') })).rejects.toBeInstanceOf(
    APICallError,
  )
})

test('langchain: invoke and stream', async () => {
  const chat = new ChatOpenAI({
    model,
    apiKey: assay.up.token,
    configuration: { baseURL },
    maxTokens: 16,
    maxRetries: 0,
    modelKwargs: { seed: 7 },
  })
  const answer = await chat.invoke(prompt)
  expect(answer).toMatchObject({ usage_metadata: { output_tokens: 16 } })
  let read = ''
  for await (const chunk of await chat.stream(prompt)) read += chunk.text
  expect(read).toBe(answer.text)
})

/** Installs openai of PyPI into a folder; undefined where that cannot be. */
function installPython(): string | undefined {
  if (process.env['CI'] !== undefined) return undefined
  const folder = path.join(path.dirname(assay.home), 'python')
  const pip = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'openai==1.109.1']
  const { status } = spawnSync('python3', pip, { stdio: 'ignore' })
  return status === 0 ? folder : undefined
}

const PYTHON = `
import json, os, openai
client = openai.OpenAI(api_key=os.environ['KEY'], base_url=os.environ['URL'])
asked = dict(model='tiny.gguf', messages=[{'role': 'user', 'content': 'What is AI?'}], max_tokens=16, seed=7)
whole = client.chat.completions.create(**asked, extra_body={'assay': {'type': 'opml'}})
streamed = ''.join(
    chunk.choices[0].delta.content or ''
    for chunk in client.chat.completions.create(**asked, stream=True) if chunk.choices
)
try:
    client.models.retrieve('no.gguf')
except openai.NotFoundError as error:
    code = error.code
print(json.dumps([whole.choices[0].message.content, streamed, whole.assay['job_id'], code]))
`

test('openai of PyPI: an answer, and the same one as a stream', (context) => {
  const folder = installPython()
  if (folder === undefined) {
    process.emitWarning(
      'skipped: openai of PyPI cannot be installed here (python3, pip, a network)',
    )
    context.skip()
  }
  const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], {
    env: { ...process.env, PYTHONPATH: String(folder), KEY: assay.up.token, URL: baseURL },
    encoding: 'utf8',
  })
  const [whole, streamed, job, code] = JSON.parse(stdout || `"${stderr}"`) as readonly string[]
  expect(streamed).toBe(whole)
  expect(job).toMatch(/^[0-9a-f]{64}$/)
  expect(code).toBe('model_not_found')
})
