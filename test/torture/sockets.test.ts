/**
 * Messages made from the protocol's own schemas, fitting and nearly so, between them no messages at all, to both ends of the
 * operator's socket, before the login and after it: connections end with the documented codes, nothing else does, and honest
 * work goes on. 1,000 messages to each end, or ASSAY_FUZZ_MESSAGES of them, from the seed ASSAY_FUZZ_SEED (0) on.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { REGISTRY_ADDRESS } from '../../src/config/contracts.ts'
import { openSession } from '../../src/jobs/operator/session.ts'
import { runOperator } from '../../src/jobs/operator/operator.ts'
import * as protocol from '../../src/jobs/protocol.ts'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../support/dispatcher.ts'
import { anything, fitting, nearly, type JsonSchema } from '../support/schemaArbitrary.ts'
import { next, startScriptedDispatcher } from '../support/scriptedDispatcher.ts'
import { connectOperator } from '../support/scriptedOperator.ts'

const MESSAGES = Number(process.env['ASSAY_FUZZ_MESSAGES'] ?? 1000)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 0)
const PER_CONNECTION = 20
const CONNECTIONS = Math.ceil(MESSAGES / PER_CONNECTION)
const TIMEOUT_MS = Math.max(300_000, MESSAGES * 100)
/** What a side may close with when it is told nonsense. */
const DOCUMENTED = [
  protocol.CLOSE.unauthenticated,
  protocol.CLOSE.version,
  protocol.CLOSE.malformed,
  1009,
]
const MODEL = 'tiny.gguf'

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'sockets', { maxAttempts: 100 })
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const OF_OPERATORS = [protocol.hello, protocol.result, protocol.refused, protocol.heartbeat]
const OF_DISPATCHERS = [
  protocol.challenge,
  protocol.welcome,
  protocol.dispatch,
  protocol.recorded,
  protocol.rejected,
]

/** Values that exist, by the names of their fields. */
type Known = { readonly [name: string]: readonly unknown[] }
type Messages = fc.Arbitrary<readonly (string | Buffer)[]>

/**
 * The messages of a connection: texts or bytes, most of the time of those kinds. Made once, since that takes longer than any
 * connection; what is known is asked for at each draw.
 */
function messages(schemas: readonly z.ZodType[], known: () => Known): Messages {
  const names = new Set(Object.keys(known()))
  const hint = (name: string): fc.Arbitrary<unknown> | undefined =>
    names.has(name)
      ? fc.noBias(fc.nat()).map((at) => {
          const values = known()[name] ?? []
          return values[at % values.length]
        })
      : undefined
  const all = schemas.map((each) => z.toJSONSchema(each) as JsonSchema)
  const text = (made: fc.Arbitrary<unknown>) => made.map((value) => JSON.stringify(value) ?? '')
  const message = fc.oneof(
    { weight: 24, arbitrary: fc.oneof(...all.map((schema) => text(fitting(schema, hint)))) },
    { weight: 3, arbitrary: fc.oneof(...all.map((schema) => text(nearly(schema, hint)))) },
    { weight: 1, arbitrary: text(anything) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.uint8Array().map((bytes) => Buffer.from(bytes)) },
  )
  return fc.array(message, { minLength: PER_CONNECTION, maxLength: PER_CONNECTION })
}

/** What is said on the connection of a number. */
const draw = (from: Messages, connection: number): readonly (string | Buffer)[] =>
  fc.sample(from, { numRuns: 1, seed: SEED + connection })[0] ?? []

test(
  'a dispatcher bears whatever operators say',
  async () => {
    const codes = new Map<number, number>()
    let known: Known = { jobId: [], lease: [], leases: [] }
    const ofStrangers = messages(OF_OPERATORS, () => ({}))
    const ofOperators = messages(OF_OPERATORS, () => known)
    for (let at = 0; at < CONNECTIONS; at++) {
      let socket: WebSocket
      let closed: Promise<number>
      if (at % 3 === 0) {
        socket = new WebSocket(`ws://${dispatcher.operatorAddress}/ws`)
        closed = once(socket, 'close').then(([code]) => code as number)
        await once(socket, 'message')
      } else {
        const operator = await connectOperator(dispatcher, { models: ['fuzz.gguf'] })
        await dispatcher.submit({ tag: 'opml', prompt: String(at), model: 'fuzz.gguf' })
        const { jobId, lease } = await operator.next('dispatch')
        known = { jobId: [jobId], lease: [lease], leases: [[lease], []] }
        ;({ socket, closed } = operator)
      }
      const saying = draw(at % 3 === 0 ? ofStrangers : ofOperators, at)
      for (const said of saying) socket.send(said)
      // The last word of all, so that an end comes in any case.
      socket.send('{')
      const code = await closed
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    console.warn(`to the dispatcher: ${JSON.stringify(Object.fromEntries(codes))}`)
    expect([...codes.keys()].filter((code) => !DOCUMENTED.includes(code as never))).toEqual([])

    const honest = await connectOperator(dispatcher, { models: ['honest.gguf'] })
    const id = await dispatcher.submit({ tag: 'opml', prompt: 'honest', model: 'honest.gguf' })
    honest.send(await honest.answer(await honest.next('dispatch')))
    await honest.next('recorded')
    expect(await dispatcher.results(id)).toHaveLength(1)
    honest.socket.close()
  },
  TIMEOUT_MS,
)

const key = new Uint8Array(32).fill(0x61)
const operator = toHex(addressOfPrivateKey(key))
const dispatcherKey = new Uint8Array(32).fill(0x62)
const dispatcherAddress = toHex(addressOfPrivateKey(dispatcherKey))

test(
  'an operator that is logging in bears whatever a dispatcher says',
  async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const known = { dispatcher: [dispatcherAddress], protocol: [1, 2], protocols: [[1, 2]] }
    const ofDispatchers = messages(OF_DISPATCHERS, () => known)
    const codes = new Set<number>()
    let at = 0
    server.on('connection', (socket) => {
      socket.on('close', (code) => codes.add(code))
      for (const said of draw(ofDispatchers, at)) socket.send(said)
      socket.send('{')
    })
    for (; at < CONNECTIONS; at++)
      await expect(
        openSession({
          url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
          identity: {
            address: fromHex(operator),
            privateKey: key,
            dispatcher: fromHex(dispatcherAddress),
          },
          offer: { workers: ['opml'], models: [MODEL], slots: 1 },
          onOrder: () => undefined,
          signal: new AbortController().signal,
        }),
      ).rejects.toThrow(/dispatcher/)
    server.close()
    for (const client of server.clients) client.terminate()
    expect([...codes].filter((code) => !DOCUMENTED.includes(code as never))).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'an operator at work bears whatever its dispatcher says',
  async () => {
    const range = { start: 0, end: 600_000, max: 600_000 }
    const script = await startScriptedDispatcher({
      dispatcher: dispatcherAddress,
      operator,
      key: dispatcherKey,
      range,
    })
    const stopping = new AbortController()
    const running = await runOperator(
      {
        pg_db_url: postgres.url('fuzzed_operator'),
        dispatcher_url: script.url,
        dispatcher_address: fromHex(dispatcherAddress),
        node_id: fromHex(operator),
        signer_key: key,
        vrf_key: key,
        chain_rpc_url: 'http://127.0.0.1:9',
        metrics_address: undefined,
        node_type: ['opml'],
        models_dir: path.join(postgres.folder, 'models'),
        slots: 2,
        worker_url: undefined,
        worker_secret_file: '',
        worker_dir: path.join(postgres.folder, 'worker'),
        engine: 'fixed',
        llama_dir: '',
        registry_contract: fromHex(REGISTRY_ADDRESS),
        max_context: 8192,
        memory_mb: 0,
        threads: 1,
        log_level: 'silent',
      },
      { log: pino({ level: 'silent' }), signal: stopping.signal },
    )
    const params = [{ temperature: 0, top_p: 1, max_tokens: 1 }, { temperature: -1 }]
    const known = { model: [MODEL, 'no.gguf'], params, chainId: ['1'], leaseSeconds: [30] }
    const ofDispatchers = messages(OF_DISPATCHERS.slice(2), () => known)
    const hello = async (): Promise<void> => {
      for (;;) {
        const { value, done } = await script.messages.next()
        if (done === true) throw new Error('the dispatcher has ended')
        if (value.type === 'hello') return
      }
    }
    // Each connection begins with a new login, which an operator waits a moment before.
    for (let at = 0; at < Math.ceil(CONNECTIONS / 4); at++) {
      await hello()
      for (const said of draw(ofDispatchers, at)) script.say(said)
      script.say('{')
      const [code] = await script.nextClose()
      expect(DOCUMENTED).toContain(code)
    }
    await hello()
    const lease = crypto.randomUUID()
    script.send({
      type: 'dispatch',
      jobId: randomBytes(32).toString('hex'),
      lease,
      leaseSeconds: 30,
      seed: randomBytes(32).toString('hex'),
      tag: '',
      position: '',
      clock: {},
      chainId: '1',
      job: { tag: 'opml', prompt: 'honest', model: MODEL, params: params[0] },
    })
    for (;;) {
      const answered = await next(script, 'result')
      if (answered.lease !== lease) continue
      expect(answered.answer?.output).toBeTypeOf('string')
      break
    }
    stopping.abort()
    await running.close()
    script.close()
  },
  TIMEOUT_MS,
)
