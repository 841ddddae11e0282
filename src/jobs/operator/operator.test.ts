/** Long, because all tests share one PostgreSQL, which takes seconds to start. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import os from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  next,
  startScriptedDispatcher,
  type DispatcherPart,
  type ScriptedDispatcher,
} from '../../../test/support/scriptedDispatcher.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { REGISTRY_ADDRESS } from '../../config/contracts.ts'
import type { OperatorConfig } from '../../config/operator.ts'
import { hasLlamaRuntime, LLAMA_INSTALL_COMMAND } from '../../inference/llamaRuntime.ts'
import { traceRoot } from '../../inference/fixed/trace.ts'
import { decodeTrace } from '../../inference/fixed/traceBytes.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import { withClient } from '../../store/sql/database.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../store/sql/embedded.ts'
import { checkResult, type Known } from '../dispatcher/check.ts'
import type { Dispatch, Protocol, Result } from '../protocol.ts'
import { initOperatorDatabase } from './database.ts'
import { runOperator, type Operator } from './operator.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const dispatcherKey = new Uint8Array(32).fill(0x21)
const dispatcher = toHex(addressOfPrivateKey(dispatcherKey))
const operatorKey = new Uint8Array(32).fill(0x22)
const operator = toHex(addressOfPrivateKey(operatorKey))
const FULL_RANGE: SelectionRange = { start: 0, end: 600_000, max: 600_000 }
const EMPTY_RANGE: SelectionRange = { start: 0, end: 0, max: 600_000 }
const log = pino({ level: 'silent' })

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-operator-'))
let postgres: EmbeddedPostgres
let databases = 0
const running: Operator[] = []
const scripts: ScriptedDispatcher[] = []

beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), log })
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()))
  for (const script of scripts.splice(0)) script.close()
})

afterAll(async () => {
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** The usual dispatcher, except for the given changes. */
async function startScript(change: Partial<DispatcherPart> = {}): Promise<ScriptedDispatcher> {
  const part = { dispatcher, operator, key: dispatcherKey, range: FULL_RANGE }
  const script = await startScriptedDispatcher({ ...part, ...change })
  scripts.push(script)
  return script
}

function configFor(url: string, change: Partial<OperatorConfig> = {}): OperatorConfig {
  return {
    pg_db_url: postgres.url(`operator_${++databases}`),
    dispatcher_url: url,
    dispatcher_address: fromHex(dispatcher),
    node_id: fromHex(operator),
    signer_key: operatorKey,
    vrf_key: operatorKey,
    chain_rpc_url: 'http://127.0.0.1:9',
    metrics_address: undefined,
    node_type: ['opml'],
    models_dir: path.join(folder, 'models'),
    slots: 2,
    worker_url: undefined,
    worker_secret_file: '',
    worker_dir: path.join(folder, 'worker'),
    engine: 'fixed',
    llama_dir: '',
    max_context: 4096,
    memory_mb: 1024,
    threads: 1,
    registry_contract: fromHex(REGISTRY_ADDRESS),
    log_level: 'silent',
    ...change,
  }
}

async function start(config: OperatorConfig): Promise<Operator> {
  const { signal } = new AbortController()
  const started = await runOperator(config, { log, signal })
  running.push(started)
  return started
}

function job(change: Partial<Dispatch> = {}): Dispatch {
  return {
    type: 'dispatch',
    jobId: randomBytes(32).toString('hex'),
    lease: randomUUID(),
    leaseSeconds: 30,
    seed: randomBytes(32).toString('hex'),
    tag: '',
    position: '',
    clock: { [dispatcher]: '5' },
    chainId: '271828',
    job: {
      tag: 'opml',
      prompt: 'What is AI? \0 é',
      model: 'tiny.gguf',
      params: { temperature: 0.7, top_p: 0.9, max_tokens: 16 },
    },
    ...change,
  }
}

const trust = {
  domain: { chainId: 271828n, dispatcher },
  evidence: { software: 'any' },
} as const

function known(dispatch: Dispatch, range = FULL_RANGE, protocol: Protocol = 3): Known {
  const { jobId, seed, tag, position, clock, block } = dispatch
  return {
    jobId,
    operator,
    job: dispatch.job,
    seed,
    tag,
    position,
    range,
    clock,
    protocol,
    block,
    createdAt: dispatch.createdAt ?? 0,
    round: 0,
    requestHash: '',
  }
}

test('an opml job is answered with a result that the dispatcher believes', async () => {
  const script = await startScript()
  await start(configFor(script.url))
  expect(await next(script, 'hello')).toMatchObject({
    workers: ['opml'],
    models: ['tiny.gguf'],
    slots: 2,
  })
  const dispatch = job()
  script.send(dispatch)
  const result = await next(script, 'result')
  expect(await checkResult(result, known(dispatch), trust)).toMatchObject({ selected: true })
  expect(result.answer?.statement.tokens).toBe(16)
  expect(result.clock).toEqual({ [dispatcher]: '5', [operator]: '1' })
})

test('a statement commits to weights and steps, the draw to a block, and the steps come along', async () => {
  const script = await startScript()
  await start(configFor(script.url))
  expect(await next(script, 'hello')).toMatchObject({ protocol: 3 })
  const dispatch = job({ block: { number: 7, hash: 'ab'.repeat(32) } })
  script.send(dispatch)
  const result = await next(script, 'result')
  expect(await checkResult(result, known(dispatch), trust)).toMatchObject({ selected: true })
  const { answer } = result
  if (answer?.trace === undefined) throw new Error('no trace came')
  expect(answer.statement.modelRoot).toMatch(/^0x[0-9a-f]{64}$/)
  const steps = decodeTrace(Buffer.from(answer.trace, 'base64')) ?? []
  expect(toHex(traceRoot(steps))).toBe(answer.statement.traceRoot)

  const otherBlock = { ...dispatch, block: { number: 7, hash: 'ac'.repeat(32) } }
  expect(await checkResult(result, known(otherBlock), trust)).toMatch('proof of the draw')
  const cut = Buffer.from(answer.trace, 'base64').fill(0, 4, 8).toString('base64')
  const altered = { ...result, answer: { ...answer, trace: cut } }
  expect(await checkResult(altered, known(dispatch), trust)).toMatch('traceRoot')
  expect(await checkResult(result, known(dispatch, FULL_RANGE, 1), trust)).toMatch(/draw|version/)
})

// Holds D33b.
test('a dispatcher of the former protocol gets a statement of the former version', async () => {
  const script = await startScript({ challenge: { protocol: 1 } })
  await start(configFor(script.url))
  expect(await next(script, 'hello')).toMatchObject({ protocol: 1 })
  const dispatch = job()
  script.send(dispatch)
  const result = await next(script, 'result')
  const verdict = await checkResult(result, known(dispatch, FULL_RANGE, 1), trust)
  expect(verdict).toMatchObject({ selected: true })
  expect(result.answer).not.toHaveProperty('trace')
  expect(result.answer?.statement).not.toHaveProperty('traceRoot')
  expect(await checkResult(result, known(dispatch), trust)).toMatch('not of version 3')
})

test('a result is sent again after a restart, until it is recorded', async () => {
  const script = await startScript({ range: EMPTY_RANGE })
  const config = configFor(script.url)
  const first = await start(config)
  await next(script, 'hello')
  script.send(job())
  const result = await next(script, 'result')
  await first.close()

  const second = await start(config)
  await next(script, 'hello')
  expect(await next(script, 'result')).toEqual(result)
  script.send({ type: 'recorded', jobId: result.jobId, lease: result.lease })
  // Another job shows that the first was deleted, and that the clock continued from where it was.
  script.send(job())
  const other = await next(script, 'result')
  expect(other.clock[operator]).toBe('2')
  script.send({ type: 'rejected', jobId: other.jobId, lease: other.lease, reason: 'late' })
  const kept = () =>
    withClient(config.pg_db_url, async (client) => {
      return (await client.query('select lease from operator_outbox')).rowCount
    })
  await expect.poll(kept).toBe(0)
  await second.close()

  await start(config)
  await next(script, 'hello')
  script.send(job())
  expect((await next(script, 'result')).clock[operator]).toBe('3')
})

/** What the operator keeps besides results. */
const keptClock = (config: OperatorConfig): Promise<unknown> =>
  withClient(config.pg_db_url, async (client) => {
    const { rows } = await client.query("select value from operator_state where name = 'clock'")
    return JSON.parse(String(rows[0]?.value))
  })

/** Hands a job out; resolves with its result, past others that are sent again. */
async function answerTo(script: ScriptedDispatcher, dispatch: Dispatch): Promise<Result> {
  script.send(dispatch)
  for (;;) {
    const result = await next(script, 'result')
    if (result.lease === dispatch.lease) return result
  }
}

const keptResults = (config: OperatorConfig): Promise<number | null> =>
  withClient(config.pg_db_url, async (client) => {
    return (await client.query('select lease from operator_outbox')).rowCount
  })

// Holds D73.
test('nothing that a dispatcher says about clocks is kept, and whatever it says, sound jobs are answered', async () => {
  const script = await startScript({ range: EMPTY_RANGE })
  const config = configFor(script.url)
  await start(config)
  await next(script, 'hello')
  const crowd = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`p${at}`, '1']))
  for (const clock of [crowd, { [operator]: '9'.repeat(20) }, { [operator]: '9007199254740991' }]) {
    script.send(job({ clock }))
    expect((await next(script, 'refused')).reason).toMatch(/clock of the hand-out/)
  }
  const last = { [operator]: '9007199254740990', junk: '1' }
  expect((await answerTo(script, job({ clock: last }))).clock[operator]).toBe('9007199254740991')
  const { clock, jobId, lease } = await answerTo(script, job())
  expect(clock).toEqual({ [dispatcher]: '5', [operator]: '2' })
  expect(await keptClock(config)).toEqual({ [operator]: '2' })

  script.send({ type: 'rejected', jobId, lease, reason: 'the clock counts too much' })
  await expect.poll(() => keptResults(config)).toBe(1)
  const handed = { [operator]: '7' }
  expect((await answerTo(script, job({ clock: handed }))).clock).toEqual({ [operator]: '8' })
  expect((await answerTo(script, job())).clock[operator]).toBe('2')
})

test.each(['9'.repeat(20), '9007199254740991', '9'.repeat(21), 'x'])(
  'a home in which a former release kept the count %s and a crowd of participants heals',
  async (count) => {
    const script = await startScript({ range: EMPTY_RANGE })
    const config = configFor(script.url)
    await initOperatorDatabase(config.pg_db_url, log)
    const junk = Array.from({ length: 255 }, (_, at) => [`junk${at}`, '1'] as const)
    const poisoned = JSON.stringify({ ...Object.fromEntries(junk), [operator]: count })
    await withClient(config.pg_db_url, (client) =>
      client.query("insert into operator_state (name, value) values ('clock', $1)", [poisoned]),
    )
    await start(config)
    await next(script, 'hello')
    script.send(job())
    expect((await next(script, 'result')).clock).toEqual({ [dispatcher]: '5', [operator]: '1' })
    expect(await keptClock(config)).toEqual({ [operator]: '1' })
  },
)

// Holds D75.
test('an operator whose results nobody confirms takes no more jobs, and takes them again when they are', async () => {
  const script = await startScript({ range: EMPTY_RANGE })
  const config = configFor(script.url)
  await start(config)
  await next(script, 'hello')
  await withClient(config.pg_db_url, (client) =>
    client.query(
      `insert into operator_outbox (lease, job_id, message)
       select gen_random_uuid(), '', '{}' from generate_series(1, 256)`,
    ),
  )
  script.drop()
  await next(script, 'hello')
  // None of these can be read, so none is kept.
  await expect.poll(() => keptResults(config)).toBe(0)
  script.send(job())
  expect((await next(script, 'result')).selected).toBe(false)
  for (let at = 1; at < 256; at++) {
    script.send(job())
    await next(script, 'result')
  }
  script.send(job())
  expect((await next(script, 'refused')).reason).toMatch(/not confirmed/)
  // What was never sent confirms nothing.
  script.send({ type: 'recorded', jobId: '00'.repeat(32), lease: randomUUID() })
  script.send(job())
  const { jobId } = await next(script, 'refused')
  const [lease] = await withClient(config.pg_db_url, async (client) => {
    const { rows } = await client.query('select lease from operator_outbox limit 1')
    return rows.map((row) => String(row.lease))
  })
  script.send({ type: 'recorded', jobId, lease })
  await expect.poll(() => keptResults(config)).toBe(255)
  script.send(job())
  expect((await next(script, 'result')).selected).toBe(false)
})

test('a job that is done while the dispatcher is away is delivered later', async () => {
  const script = await startScript()
  await start(configFor(script.url))
  await next(script, 'hello')
  const dispatch = job()
  script.send(dispatch)
  script.drop()
  await next(script, 'hello')
  expect((await next(script, 'result')).lease).toBe(dispatch.lease)
})

test('an operator that is not drawn says so, with its proof, and computes nothing', async () => {
  const script = await startScript({ range: EMPTY_RANGE })
  await start(configFor(script.url))
  await next(script, 'hello')
  const dispatch = job()
  script.send(dispatch)
  const result = await next(script, 'result')
  expect(result.answer).toBeUndefined()
  expect(await checkResult(result, known(dispatch, EMPTY_RANGE), trust)).toEqual({
    selected: false,
    answer: undefined,
  })
})

test('jobs that it cannot do are refused with the reason', async () => {
  const script = await startScript()
  await start(configFor(script.url))
  await next(script, 'hello')
  const { job: spec } = job()
  script.send(job({ job: { ...spec, model: 'no.gguf' } }))
  expect(await next(script, 'refused')).toMatchObject({ reason: 'there is no model "no.gguf"' })
  script.send(job({ job: { ...spec, tag: 'tee' } }))
  expect(await next(script, 'refused')).toMatchObject({ reason: 'this operator takes no tee jobs' })
  script.send(job({ job: { ...spec, params: { ...spec.params, temperature: -1 } } }))
  expect(await next(script, 'refused')).toMatchObject({ retry: false })
})

test('a new model file is offered at a new login', async () => {
  const script = await startScript()
  const models = fs.mkdtempSync(path.join(folder, 'models-'))
  await start(configFor(script.url, { models_dir: models }))
  expect((await next(script, 'hello')).models).toEqual(['tiny.gguf'])
  fs.copyFileSync(path.join(models, 'tiny.gguf'), path.join(models, 'other.gguf'))
  expect((await next(script, 'hello')).models).toEqual(['other.gguf', 'tiny.gguf'])
})

test('a dispatcher that does not hold its key gets no work out of the operator', async () => {
  const script = await startScript({ key: new Uint8Array(32).fill(0x66) })
  await start(configFor(script.url))
  await next(script, 'hello')
  script.send(job())
  expect(await script.nextClose()).toEqual([
    4001,
    `the dispatcher did not prove that it is ${dispatcher}`,
  ])
  // It reconnects, and has sent nothing in between.
  await next(script, 'hello')
})

test('a dispatcher of another address gets no hello', async () => {
  const script = await startScript()
  await start(configFor(script.url, { dispatcher_address: new Uint8Array(20) }))
  expect(await script.nextClose()).toEqual([
    4001,
    `dispatcher_address does not match the dispatcher, ${dispatcher}`,
  ])
})

test('a job of another chain than the one of chain_rpc_url is refused', async () => {
  const node = createServer((_request, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x1' })),
  )
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  const url = `http://127.0.0.1:${(node.address() as { port: number }).port}`
  const script = await startScript()
  await start(configFor(script.url, { chain_rpc_url: url }))
  await next(script, 'hello')
  script.send(job())
  expect(await next(script, 'refused')).toMatchObject({
    reason: 'this operator is on chain 1, but the job is on chain 271828',
    retry: true,
  })
  node.close()
})

test('a draw that is bound to another block than the chain has is refused', async () => {
  const answers: Record<string, unknown> = {
    eth_chainId: '0x425d4',
    eth_getBlockByNumber: { hash: `0x${'ee'.repeat(32)}` },
  }
  const node = createServer((request, response) => {
    void text(request).then((body) => {
      const { method } = JSON.parse(body) as { method: string }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answers[method] }))
    })
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  const url = `http://127.0.0.1:${(node.address() as { port: number }).port}`
  const script = await startScript({ range: EMPTY_RANGE })
  await start(configFor(script.url, { chain_rpc_url: url }))
  await next(script, 'hello')
  script.send(job({ block: { number: 7, hash: 'ab'.repeat(32) } }))
  expect(await next(script, 'refused')).toMatchObject({
    reason: 'the chain has a different block 7',
    retry: true,
  })
  script.send(job({ block: { number: 7, hash: 'ee'.repeat(32) } }))
  expect(await next(script, 'result')).toMatchObject({ selected: false })
  node.close()
})

test('a malformed message closes the connection', async () => {
  const script = await startScript()
  await start(configFor(script.url))
  await next(script, 'hello')
  script.send({ ...job(), seed: 'x' })
  expect(await script.nextClose()).toEqual([4003, 'the dispatcher sent a malformed message'])
})

test.skipIf(!isInstalled)(
  'with the seven keys alone it takes both job types, tee with a worker of its own',
  async () => {
    const script = await startScript()
    await start(configFor(script.url, { node_type: ['opml', 'tee'] }))
    expect((await next(script, 'hello')).workers).toEqual(['opml', 'tee'])
    const dispatch = job({ job: { ...job().job, tag: 'tee' } })
    script.send(dispatch)
    const result = await next(script, 'result')
    expect(await checkResult(result, known(dispatch), trust)).toMatchObject({
      selected: true,
      answer: { evidenceLevel: 'software-insecure' },
    })
  },
)
