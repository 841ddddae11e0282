/**
 * Hostile input on every door of a running system: whatever is sent, each request gets an answer of its own, no answer is an
 * internal error, and nothing of the program's inside shows in it.
 */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { cometTable } from '../../src/consensusRpc/table.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { post, rpc } from '../support/assay.ts'
import { openIpc, openWebSocket, type Line } from '../support/lines.ts'
import { oddConstant } from '../support/schemaArbitrary.ts'

const up = inject('up')
const logs = path.join(inject('home'), 'logs')
const settingsFile = path.join(inject('home'), 'config', 'assay.toml')
const settings = fs.readFileSync(settingsFile)

/** A hang is a failure, before the test itself runs out of time. */
const PATIENCE_MS = 60_000
const INSIDE = /node_modules|\bat \S+ \(|\.(?:ts|js):\d|TypeError|RangeError|internal error/i

const nobody = `0x${'12'.repeat(20)}`
let blockHash = ''
beforeAll(async () => {
  const { result } = await rpc(up.rpc, 'eth_getBlockByNumber', ['latest', false])
  blockHash = (result as { hash: string }).hash
})
// miner_setGasPrice may have been told a price that nobody pays, and others start this home again.
afterAll(() => fs.writeFileSync(settingsFile, settings))

const hexText = fc.oneof(
  fc.constantFrom('0x', '0x0', '0x00', '0X1', '0x-1', '-0x1', '0xg', `0x${'f'.repeat(64)}`),
  fc.stringMatching(/^0x[0-9a-fA-F]{0,70}$/),
  fc.nat(2000).map((size) => `0x${'c0'.repeat(size)}`),
)
const odd = fc.oneof(
  { weight: 3, arbitrary: hexText },
  { weight: 2, arbitrary: fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(nobody, 'latest', 'earliest', 'newHeads', 'logs'),
  },
  oddConstant,
  fc.nat(50).map((depth) => JSON.parse(`${'['.repeat(depth)}0${']'.repeat(depth)}`) as unknown),
  fc.constant(0).map(() => blockHash),
)
/** Objects with the keys that methods look for. */
const keys = ['from', 'to', 'gas', 'gasPrice', 'value', 'data', 'nonce', 'accessList', 'address']
const moreKeys = ['authorizationList', 'fromBlock', 'toBlock', 'blockHash', 'topics', 'blockNumber']
const known = fc.dictionary(fc.constantFrom(...keys, ...moreKeys), fc.oneof(odd, fc.array(odd)))
const hostile = fc.oneof({ weight: 3, arbitrary: odd }, known, fc.array(odd, { maxLength: 4 }))
const params = fc.oneof({ weight: 6, arbitrary: fc.array(hostile, { maxLength: 4 }) }, hostile)

type Answer = { readonly id?: unknown; readonly error?: { readonly code: number } }

function expectHarmless(text: string): void {
  expect(text).not.toMatch(INSIDE)
}

function expectAnswers(answers: readonly Answer[], count: number): void {
  expect(answers.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: count }, (_, id) => id),
  )
  for (const { error } of answers) expect(error?.code).not.toBe(-32603)
}

// The description of all methods is long, always the same, and its patterns look like what is searched for.
const names = Object.keys(METHODS).filter((name) => name !== 'rpc.discover')
const calls = fc.array(fc.record({ method: fc.constantFrom(...names), params }), {
  minLength: 20,
  maxLength: 40,
})
type Call = { readonly method: string; readonly params: unknown }
const requestsOf = (list: readonly Call[]) =>
  list.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))

test('the JSON-RPC answers every call over HTTP', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (list) => {
      const response = await fetch(up.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requestsOf(list)),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      expectHarmless(text)
      expectAnswers(JSON.parse(text) as Answer[], list.length)
    }),
    { numRuns: 60 },
  )
})

/** Sends all requests at once and waits for as many answers; notifications do not count. */
function exchange(line: Line, requests: readonly object[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = []
    const timer = setTimeout(() => reject(new Error('an answer is missing')), PATIENCE_MS)
    line.onMessage = (text) => {
      expectHarmless(text)
      const answer = JSON.parse(text) as Answer
      if ('method' in answer) return
      if (answers.push(answer) < requests.length) return
      clearTimeout(timer)
      resolve(answers)
    }
    for (const request of requests) line.send(JSON.stringify(request))
  })
}

test.each([
  ['WebSocket', () => openWebSocket(up.ws)],
  ['the IPC socket', () => openIpc(up.ipc)],
])('the JSON-RPC answers every call over %s', async (_, open) => {
  const line = await open()
  await fc.assert(
    fc.asyncProperty(calls, async (list) => {
      expectAnswers(await exchange(line, requestsOf(list)), list.length)
    }),
    { numRuns: 30 },
  )
  line.close()
})

test('the JSON-RPC answers every text, and every id comes back as it was or as null', async () => {
  const id = fc.oneof(fc.jsonValue({ stringUnit: 'binary' }), fc.constant('x'.repeat(300)))
  const envelope = fc.record(
    {
      jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', 2, null),
      id,
      method: fc.constantFrom<unknown>('eth_chainId', 'constructor', '', '\u0000', 7),
      params: hostile,
    },
    { requiredKeys: [] },
  )
  const text = fc.oneof(
    envelope.map((value) => JSON.stringify(value)),
    fc.array(envelope, { maxLength: 4 }).map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.nat(3000).map((depth) => '[{"a":'.repeat(depth)),
  )
  await fc.assert(
    fc.asyncProperty(text, async (body) => {
      const response = await fetch(up.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const answer = await response.text()
      expect(response.status).toBe(200)
      expectHarmless(answer)
      if (answer === '') return
      const sent = body.startsWith('{') ? (JSON.parse(body) as { id?: unknown }).id : null
      const { id: echoed } = JSON.parse(answer) as Answer
      if (!answer.startsWith('[')) expect([sent, null]).toContainEqual(echoed)
    }),
    { numRuns: 150 },
  )
})

/** What CometBFT itself answers with status 500 are errors of the caller; a fault in the node says so in its data. */
const FAULT = 'a fault in the node'
const uriValue = fc.oneof(
  fc.constantFrom('', '""', '1', '-1', '0x', '0xzz', '"tm.event=\'Tx\'"', '"a CONTAINS', '[]'),
  hexText,
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Waiting for a block is what this one is for. */
const cometNames = [...cometTable.keys()].filter((name) => name !== 'broadcast_tx_commit')

test('the consensus RPC answers every URI', async () => {
  const query = fc.record({ name: fc.constantFrom(...cometNames), values: fc.array(uriValue) })
  await fc.assert(
    fc.asyncProperty(query, async ({ name, values }) => {
      const names = Object.keys(cometTable.get(name)?.args ?? {})
      const given = names.map(
        (argument, at) => `${argument}=${encodeURIComponent(values[at] ?? '')}`,
      )
      const response = await fetch(`${up.comet}/${name}?${given.join('&')}`, {
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      expect(text).not.toContain(FAULT)
      expectHarmless(text.replaceAll('Internal error', ''))
    }),
    { numRuns: 200 },
  )
})

test('the consensus RPC answers every call over POST and WebSocket', async () => {
  const line = await openWebSocket(`${up.comet.replace('http', 'ws')}/websocket`)
  const call = fc.record({
    method: fc.constantFrom(...cometNames),
    params: fc.oneof(params, known),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), async (list) => {
      const requests = requestsOf(list)
      const response = await fetch(up.comet, {
        method: 'POST',
        body: JSON.stringify(requests),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      expect(text).not.toContain(FAULT)
      expectHarmless(text.replaceAll('Internal error', ''))
      for (const request of requests) line.send(JSON.stringify(request))
    }),
    { numRuns: 60 },
  )
  // Answers come in order, so this one says that all before it were given.
  await new Promise<void>((resolve) => {
    line.onMessage = (text) => {
      expect(text).not.toContain(FAULT)
      if (text.includes('"the last"')) resolve()
    }
    line.send(JSON.stringify({ jsonrpc: '2.0', id: 'the last', method: 'health' }))
  })
  line.close()
})

test('the dispatcher never answers with a fault of its own', async () => {
  const job = {
    tag: 'opml',
    prompt: 'a',
    model: 'nobody-serves-this.gguf',
    params: { temperature: 0, top_p: 1, max_tokens: 1 },
  }
  const submission = { from: up.project, verify: up.token, user: '', tag: '', job }
  const place = fc.constantFrom(
    'from',
    'verify',
    'user',
    'tag',
    'more',
    'job',
    'job.tag',
    'job.prompt',
    'job.model',
    'job.more',
    'job.params',
    'job.params.temperature',
    'job.params.top_p',
    'job.params.max_tokens',
  )
  const deep = fc.nat(6000).map((depth) => `${'['.repeat(depth)}0${']'.repeat(depth)}`)
  const value = fc.oneof(
    hostile.map((item) => JSON.stringify(item)),
    deep,
  )
  const body = fc.oneof(
    fc.tuple(place, value).map(([where, text]) => {
      const copy = structuredClone(submission) as Record<string, unknown>
      const names = where.split('.')
      let inner = copy
      for (const name of names.slice(0, -1)) inner = inner[name] as Record<string, unknown>
      inner[names.at(-1) ?? ''] = 'HERE'
      return JSON.stringify(copy).replace('"HERE"', () => text)
    }),
    value.map((text) => `{"job_id":${text}}`),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  const route = fc.constantFrom('/api/job/submit', '/api/job/result', '/api/job/detail', '/api/%00')
  await fc.assert(
    fc.asyncProperty(route, body, async (url, text) => {
      const answer = await post(`${up.dispatcher}${url}`, text)
      expect(answer.status).toBeLessThan(500)
      expect(answer.body.code).toBe(answer.status)
      if (url !== '/api/job/submit' || answer.status !== 200) return
      const detail = await post(`${up.dispatcher}/api/job/detail`, { job_id: answer.body.result })
      expect(detail.status).toBe(200)
    }),
    { numRuns: 250 },
  )
})

test('none of it was logged as an error', () => {
  for (const name of ['node', 'dispatcher'])
    expect(fs.readFileSync(path.join(logs, `${name}.log`), 'utf8')).not.toMatch(/"level":[56]0/)
})
