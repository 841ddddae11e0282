import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startOpenaiServer } from '../../../../test/support/openaiServer.ts'
import { canonicalMessages } from '../../../proof/job/canonicalMessages.ts'
import { outputHash } from '../../../proof/job/hashes.ts'
import { judgeEvidence } from '../../evidence.ts'
import { workerClient, type WorkerClient } from '../../operator/workerClient.ts'
import type { WorkerRequest } from '../api.ts'
import { runWorker } from '../worker.ts'
import { readApiKey, readBackendModel, type BackendOptions } from './options.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-backend-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const secretFile = path.join(folder, 'secret.hex')
const { signal } = new AbortController()
const MODELS = new Map([['big', 'org/model-7b']])

/** A worker in front of a server. */
async function workerOf(backend: BackendOptions): Promise<WorkerClient> {
  const worker = await runWorker(
    { host: '127.0.0.1', port: 0, modelsFolder: folder, folder, secretFile, backend },
    { log: pino({ level: 'silent' }), signal },
  )
  onTestFinished(() => worker.close())
  return workerClient({ url: async () => worker.address, secretFile })
}

const MESSAGES = [{ role: 'user', content: 'What is AI?' }] as const
const request: WorkerRequest = {
  jobId: '01'.repeat(32),
  seed: '02'.repeat(32),
  operator: `0x${'03'.repeat(20)}`,
  jobType: 'tee',
  prompt: canonicalMessages(MESSAGES),
  model: 'big',
  params: { temperature: 0.5, top_p: 0.9, max_tokens: 8, messages: true, stop: ['END'], seed: 5 },
  vrfProofHash: `0x${'04'.repeat(32)}`,
  clockHash: `0x${'05'.repeat(32)}`,
  drawBlockHash: `0x${'07'.repeat(32)}`,
  createdAt: 1_700_000_000,
  statementVersion: 3,
  chainId: '271828',
  dispatcher: `0x${'06'.repeat(20)}`,
}

const said = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
})
const STREAM = [
  { choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] },
  said('A '),
  said('field é.E'),
  said('ND and more', 'stop'),
  { choices: [], usage: { prompt_tokens: 11, completion_tokens: 6 } },
]

// Holds D142.
test('a server answers a conversation, and the statement says that it is its word alone', async () => {
  const server = await startOpenaiServer(STREAM)
  onTestFinished(server.close)
  const keyFile = path.join(folder, 'key')
  fs.writeFileSync(keyFile, 'sk-secret\n', { mode: 0o600 })
  const client = await workerOf({ url: server.url, keyFile, models: MODELS })
  const pieces: string[] = []
  const answer = await client.answer(request, signal, (text) => pieces.push(text))
  expect(pieces.join('')).toBe('A field é.')
  expect(pieces.length).toBeGreaterThan(1)
  expect(answer.statement).toMatchObject({
    engine: 'openai-api/1 org/model-7b',
    modelHash: `0x${'00'.repeat(32)}`,
    modelRoot: `0x${'00'.repeat(32)}`,
    commitment: 0,
    renderer: 'openai-api/1 server',
    outputHash: outputHash('A field é.'),
    tokens: 6,
    promptTokens: 11,
    finishReason: 'stop',
  })
  expect(server.asked).toEqual([
    {
      path: '/v1/chat/completions',
      key: 'Bearer sk-secret',
      body: {
        model: 'org/model-7b',
        messages: MESSAGES,
        temperature: 0.5,
        top_p: 0.9,
        seed: 5,
        max_tokens: 8,
        stop: ['END'],
        stream: true,
        stream_options: { include_usage: true },
      },
    },
  ])
  const domain = { chainId: 271828n, dispatcher: request.dispatcher }
  expect(
    await judgeEvidence(answer.evidence, answer.statement, domain, { software: 'any' }),
  ).toMatchObject({ ok: true, level: 'software-insecure' })
})

test('a prompt that is run as it is goes to the other path, and no maximum is sent for "until the end"', async () => {
  const server = await startOpenaiServer([
    { choices: [{ index: 0, text: ' a', finish_reason: null }] },
    { choices: [{ index: 0, text: ' field', finish_reason: 'length' }] },
  ])
  onTestFinished(server.close)
  const client = await workerOf({ url: server.url, models: new Map() })
  expect(await client.status(signal)).toEqual({
    level: 'software-insecure',
    models: ['org/model-7b'],
    identities: [],
  })
  const params = { temperature: 1, top_p: 1, max_tokens: 1_048_576, raw: true as const }
  const asked = { ...request, model: 'org/model-7b', prompt: 'AI is', params }
  const { output, statement } = await client.answer(asked, signal)
  expect([output, statement.tokens, statement.finishReason, statement.renderer]).toEqual([
    ' a field',
    2,
    'length',
    '',
  ])
  expect(server.asked[0]).toMatchObject({ path: '/v1/completions', body: { prompt: 'AI is' } })
  expect(server.asked[0]?.body).not.toHaveProperty('max_tokens')
})

test.each([
  [400, { error: { code: 'context_length_exceeded', message: 'What is AI? is long' } }, false],
  [404, { error: { message: 'no such model' } }, true],
  [401, { error: { code: 'invalid_api_key' } }, true],
  [500, {}, true],
])(
  'an error %i of the server is a refusal that repeats nothing of its text',
  async (status, body, retry) => {
    const server = await startOpenaiServer({ status, body })
    onTestFinished(server.close)
    const client = await workerOf({ url: server.url, models: MODELS })
    const { origin } = new URL(server.url)
    const code = 'error' in body && 'code' in body.error ? `, ${body.error.code}` : ''
    await expect(client.answer(request, signal)).rejects.toMatchObject({
      message: `the server at ${origin} answered with status ${status}${code}`,
      retry,
    })
  },
)

test('a stream that breaks off, or says nonsense, is no answer', async () => {
  const broken = await startOpenaiServer([said('A '), { error: { message: 'out of memory' } }])
  onTestFinished(broken.close)
  const client = await workerOf({ url: broken.url, models: MODELS })
  await expect(client.answer(request, signal)).rejects.toMatchObject({
    message: 'the server broke off the answer',
    retry: true,
  })
  const nobody = await workerOf({ url: 'http://127.0.0.1:9/v1', models: MODELS })
  await expect(nobody.answer(request, signal)).rejects.toMatchObject({
    message: 'the server at http://127.0.0.1:9 failed (ECONNREFUSED)',
    retry: true,
  })
  await expect(nobody.answer({ ...request, model: 'other' }, signal)).rejects.toMatchObject({
    message: 'there is no model "other"',
  })
})

test('hardware does not attest to what another server computes', async () => {
  const options = { host: '127.0.0.1', port: 0, modelsFolder: folder, folder, secretFile }
  const backend = { url: 'http://127.0.0.1:9/v1', models: MODELS }
  await expect(
    runWorker(
      { ...options, backend, evidence: { kind: 'tdx' } },
      { log: pino({ level: 'silent' }), signal },
    ),
  ).rejects.toThrow('hardware cannot attest')
})

test('a key that others can read, or that is none, is refused without repeating it', () => {
  const file = path.join(folder, 'open-key')
  fs.writeFileSync(file, 'sk-secret', { mode: 0o644 })
  expect(() => readApiKey(file)).toThrow(/can be read by other users/)
  fs.chmodSync(file, 0o600)
  expect(readApiKey(file)).toBe('sk-secret')
  fs.writeFileSync(file, 'two words')
  expect(() => readApiKey(file)).toThrow(/^(?!.*two words)/)
  expect(readBackendModel('llama3:8b=org/model')).toEqual(['llama3:8b', 'org/model'])
  expect(() => readBackendModel('llama3:8b')).toThrow(/not name=name/)
})
