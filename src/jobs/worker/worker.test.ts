import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from '../../inference/llamaRuntime.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { TINY_MODEL_SHA256 } from '../../inference/tinyModel.ts'
import { judgeEvidence } from '../evidence.ts'
import { outputHash } from '../../proof/job/hashes.ts'
import { workerClient, type WorkerClient } from '../operator/workerClient.ts'
import type { WorkerRequest } from './api.ts'
import { runWorker, type Worker } from './worker.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-worker-'))
const secretFile = path.join(folder, 'secret.hex')
const { signal } = new AbortController()
let worker: Worker
let client: WorkerClient

beforeAll(async () => {
  if (!isInstalled) return
  worker = await runWorker(
    { host: '127.0.0.1', port: 0, modelsFolder: path.join(folder, 'models'), folder, secretFile },
    { log: pino({ level: 'silent' }), signal },
  )
  client = workerClient({ url: async () => worker.address, secretFile })
})

afterAll(() => worker?.close())

const request: WorkerRequest = {
  jobId: '01'.repeat(32),
  seed: '02'.repeat(32),
  operator: `0x${'03'.repeat(20)}`,
  jobType: 'tee',
  prompt: 'What is AI?\0',
  model: 'tiny.gguf',
  params: { temperature: 0.5, top_p: 1, max_tokens: 8 },
  vrfProofHash: `0x${'04'.repeat(32)}`,
  clockHash: `0x${'05'.repeat(32)}`,
  drawBlockHash: `0x${'07'.repeat(32)}`,
  createdAt: 1_700_000_000,
  statementVersion: 3,
  chainId: '271828',
  dispatcher: `0x${'06'.repeat(20)}`,
}

test.skipIf(!isInstalled)(
  'an answer comes with a statement and evidence that binds it',
  async () => {
    const { output, statement, evidence } = await client.answer(request, signal)
    expect(statement).toMatchObject({ tokens: 8, outputHash: outputHash(output), jobType: 'tee' })
    const domain = { chainId: 271828n, dispatcher: request.dispatcher }
    const trust = { software: 'any' } as const
    expect(await judgeEvidence(evidence, statement, domain, trust)).toMatchObject({
      ok: true,
      level: 'software-insecure',
    })
    const altered = { ...statement, tokens: 9 }
    expect((await judgeEvidence(evidence, altered, domain, trust)).ok).toBe(false)
  },
)

// Holds D138.
test.skipIf(!isInstalled)('the text of an answer comes before the answer itself', async () => {
  const pieces: string[] = []
  const { output, statement } = await client.answer(request, signal, (text) => pieces.push(text))
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(output)
  expect(statement).toMatchObject({ tokens: 8, outputHash: outputHash(output) })
})

test('a worker that fails while it sends text says why', async () => {
  const server = http.createServer((_, response) => {
    response.setHeader('content-type', 'application/x-ndjson')
    response.write('{"text":"one"}\n{"te')
    response.end('xt":" two"}\n{"message":"no memory","retry":true}\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const failing = workerClient({ url: async () => `http://127.0.0.1:${port}`, secretFile })
  const pieces: string[] = []
  await expect(failing.answer(request, signal, (text) => pieces.push(text))).rejects.toMatchObject({
    message: 'no memory',
    retry: true,
  })
  expect(pieces).toEqual(['one', ' two'])
  server.close()
})

test.skipIf(!isInstalled)(
  'the status names the models, what they are, and the level of evidence',
  async () => {
    const identity = {
      model: 'tiny.gguf',
      type: 'tee',
      sha256: `0x${TINY_MODEL_SHA256}`,
      modelRoot: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      tokenListHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    }
    await waitFor(async () =>
      expect(await client.status(signal)).toEqual({
        level: 'software-insecure',
        models: ['tiny.gguf'],
        identities: [identity],
      }),
    )
  },
)

test.skipIf(!isInstalled)('nothing is said to whoever does not know the secret', async () => {
  for (const authorization of ['', 'Bearer', `Bearer ${'0'.repeat(64)}`]) {
    const response = await fetch(`${worker.address}/status`, { headers: { authorization } })
    expect(response.status).toBe(401)
  }
  expect(fs.statSync(secretFile).mode & 0o777).toBe(0o600)
})

test.skipIf(!isInstalled)('a job that cannot be done is refused with the reason', async () => {
  await expect(client.answer({ ...request, model: 'no.gguf' }, signal)).rejects.toMatchObject({
    message: 'there is no model "no.gguf"',
    retry: true,
  })
  const params = { ...request.params, top_p: 2 }
  await expect(client.answer({ ...request, params }, signal)).rejects.toMatchObject({
    message: 'top_p is not above 0 and at most 1',
    retry: false,
  })
})

test.skipIf(!isInstalled)('a malformed request is 400 and names what is wrong', async () => {
  const authorization = `Bearer ${fs.readFileSync(secretFile, 'utf8').trim()}`
  const response = await fetch(`${worker.address}/answer`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, seed: 'x' }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    message: expect.stringContaining('seed') as string,
    retry: false,
  })
})

test.skipIf(!isInstalled)('an operator that goes away does not hold up the next one', async () => {
  const leaving = new AbortController()
  const long = client.answer(
    { ...request, params: { ...request.params, max_tokens: 5000 } },
    leaving.signal,
  )
  setImmediate(() => leaving.abort(new Error('gone')))
  await expect(long).rejects.toThrow('gone')
  expect((await client.answer(request, signal)).statement.tokens).toBe(8)
})

test('a worker that is not there is an error of its own, fit to be retried', async () => {
  const nobody = workerClient({ url: async () => 'http://127.0.0.1:9', secretFile })
  await expect(nobody.answer(request, signal)).rejects.toMatchObject({
    name: 'WorkerError',
    message: 'the worker at http://127.0.0.1:9 failed (ECONNREFUSED)',
    retry: true,
  })
})

// Holds D74.
test.skipIf(!isInstalled)(
  'whoever does not know the secret is refused before any body has come',
  async () => {
    const { port } = new URL(worker.address)
    const begun = http.request({
      port,
      host: '127.0.0.1',
      path: '/answer',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 10_000_000 },
    })
    begun.on('error', () => undefined)
    begun.flushHeaders()
    const [response] = (await once(begun, 'response')) as [http.IncomingMessage]
    expect(response.statusCode).toBe(401)
    begun.destroy()
  },
)

test.skipIf(!isInstalled)(
  'a request of millions of values is refused before it is parsed',
  async () => {
    const authorization = `Bearer ${fs.readFileSync(secretFile, 'utf8').trim()}`
    const response = await fetch(`${worker.address}/answer`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: `[${'{},'.repeat(1_000_000)}{}]`,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message: expect.stringMatching(/more than 256 values/) as string,
    })
  },
)

test('an answer that is larger than any is not read to its end', async () => {
  const server = http.createServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20)
    const more = (): void => void (response.destroyed || response.write(chunk, more))
    more()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const endless = workerClient({ url: async () => `http://127.0.0.1:${port}`, secretFile })
  await expect(endless.answer(request, signal)).rejects.toThrow(/larger than 16777216 bytes/)
  server.close()
  server.closeAllConnections()
})
