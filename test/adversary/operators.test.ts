/**
 * Hostile operators against an honest dispatcher and honest operators, and hostile dispatchers against an honest operator:
 * messages of each kind, random ones and lies that are nearly true. All honest jobs complete, and nothing of the lies stays.
 * ASSAY_TORTURE_RUNS says how many messages of each kind (60; 1,000 is the full form), ASSAY_FUZZ_SEED (0) which.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { REGISTRY_ADDRESS } from '../../src/config/contracts.ts'
import type { OperatorConfig } from '../../src/config/operator.ts'
import { runOperator } from '../../src/jobs/operator/operator.ts'
import * as protocol from '../../src/jobs/protocol.ts'
import { withClient } from '../../src/store/sql/database.ts'
import { startTestDispatcher, startTestPostgres, type TestPostgres } from '../support/dispatcher.ts'
import { startScriptedDispatcher } from '../support/scriptedDispatcher.ts'
import { connectOperator, type ScriptedOperator } from '../support/scriptedOperator.ts'
import { handoutsLike, liesAbout, messagesOf, type Known } from './hostile.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 60)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 0)
const PER_CONNECTION = 20
const TIMEOUT_MS = Math.max(180_000, RUNS * 2000)
const MODEL = 'tiny.gguf'
const PARAMS = { temperature: 0, top_p: 1, max_tokens: 1 }

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

/** Answers every hand-out until it is stopped. */
async function workHonestly(operator: ScriptedOperator, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const dispatch = await operator.next('dispatch').catch(() => undefined)
    if (dispatch !== undefined) operator.send(await operator.answer(dispatch))
  }
}

const sample = <T>(from: fc.Arbitrary<T>, count: number, seed: number): readonly T[] =>
  fc.sample(from, { numRuns: count, seed: SEED + seed })

// Holds D73.
test(
  'whatever hostile operators say, honest jobs complete, and nothing of it stays in them',
  async () => {
    const dispatcher = await startTestDispatcher(postgres, 'hostile_operators', {
      leaseMs: 1500,
      maxAttempts: 1000,
      jobDeadlineMs: TIMEOUT_MS,
    })
    const stopping = new AbortController()
    const honest = [await connectOperator(dispatcher), await connectOperator(dispatcher)]
    const working = honest.map((operator) => workHonestly(operator, stopping.signal))
    const privateKey = randomBytes(32)
    let known: Known = { jobId: [], lease: [], leases: [] }
    const kinds = [protocol.result, protocol.refused, protocol.heartbeat].map((schema) =>
      messagesOf(schema, () => known),
    )
    const connections = Math.ceil((RUNS * kinds.length) / PER_CONNECTION)
    const codes = new Map<number, number>()
    const jobs: string[] = []
    let said = 0
    for (let at = 0; at < connections; at++) {
      // From many addresses, so that none of them is refused for its number of logins.
      const localAddress = `127.0.${1 + (at % 200)}.1`
      const hostile = await connectOperator(dispatcher, { privateKey, localAddress })
      jobs.push(await dispatcher.submit({ tag: 'opml', prompt: String(at), model: MODEL }))
      const dispatch = await hostile.next('dispatch')
      known = { jobId: [dispatch.jobId], lease: [dispatch.lease], leases: [[dispatch.lease]] }
      const { address } = honest[at % 2] as ScriptedOperator
      const lies = liesAbout(await hostile.answer(dispatch), [address])
      const lie = lies[at % lies.length] as object
      const kind = kinds[at % kinds.length] as fc.Arbitrary<string>
      for (const message of [JSON.stringify(lie), ...sample(kind, PER_CONNECTION, at), '{']) {
        hostile.socket.send(message)
        said++
      }
      const code = await hostile.closed
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    for (const job of jobs)
      await expect.poll(async () => (await dispatcher.detail(job)).state).toBe('completed')
    stopping.abort()
    for (const { socket } of honest) socket.close()
    const participants = [
      dispatcher.dispatcherAddress,
      toHex(addressOfPrivateKey(privateKey)),
      ...honest.map(({ address }) => address),
    ]
    for (const job of jobs) {
      const { clock } = await dispatcher.detail(job)
      expect(participants).toEqual(expect.arrayContaining(Object.keys(clock)))
      for (const count of Object.values(clock)) expect(String(count).length).toBeLessThan(9)
      const answered = (await dispatcher.results(job)) as { operator: string }[]
      expect(
        answered.some(({ operator }) => honest.some((each) => each.address === operator)),
      ).toBe(true)
    }
    console.warn(
      `hostile operators: ${said} messages, ${jobs.length} of ${jobs.length} jobs completed, ends ${JSON.stringify(Object.fromEntries(codes))}`,
    )
    await Promise.all(working)
    await dispatcher.close()
  },
  TIMEOUT_MS,
)

const operatorKey = new Uint8Array(32).fill(0x71)
const operator = toHex(addressOfPrivateKey(operatorKey))

function configFor(url: string, dispatcher: string): OperatorConfig {
  return {
    pg_db_url: postgres.url('abused_operator'),
    dispatcher_url: url,
    dispatcher_address: fromHex(dispatcher),
    node_id: fromHex(operator),
    signer_key: operatorKey,
    vrf_key: operatorKey,
    chain_rpc_url: 'http://127.0.0.1:9',
    metrics_address: undefined,
    node_type: ['opml'],
    models_dir: path.join(postgres.folder, 'models'),
    slots: 4,
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
  }
}

test(
  'whatever a hostile dispatcher says, the operator works for an honest one with the same home',
  async () => {
    const key = new Uint8Array(32).fill(0x72)
    const script = await startScriptedDispatcher({
      dispatcher: toHex(addressOfPrivateKey(key)),
      operator,
      key,
      range: { start: 0, end: 600_000, max: 600_000 },
    })
    const log = pino({ level: 'silent' })
    const { signal } = new AbortController()
    const abused = await runOperator(configFor(script.url, toHex(addressOfPrivateKey(key))), {
      log,
      signal,
    })
    const known = { model: [MODEL, 'no.gguf'], params: [PARAMS], chainId: ['1'] }
    const kinds = [protocol.dispatch, protocol.recorded, protocol.rejected].map((schema) =>
      messagesOf(schema, () => known),
    )
    const hello = async (): Promise<void> => {
      for (;;) if ((await script.messages.next()).value?.type === 'hello') return
    }
    let said = 0
    const connections = Math.ceil((RUNS * kinds.length) / PER_CONNECTION)
    for (let at = 0; at < connections; at++) {
      await hello()
      const sound: protocol.Dispatch = {
        type: 'dispatch',
        jobId: randomBytes(32).toString('hex'),
        lease: randomUUID(),
        leaseSeconds: 30,
        seed: randomBytes(32).toString('hex'),
        tag: '',
        position: '',
        clock: {},
        chainId: '1',
        job: { tag: 'opml', prompt: 'p', model: MODEL, params: PARAMS },
      }
      const kind = kinds[at % kinds.length] as fc.Arbitrary<string>
      const messages = [
        ...handoutsLike(sound, operator).map((each) => JSON.stringify(each)),
        ...sample(kind, PER_CONNECTION, 1000 + at),
        '{',
      ]
      for (const message of messages) script.say(message)
      said += messages.length
      await script.nextClose()
    }
    await abused.close()
    script.close()

    const dispatcher = await startTestDispatcher(postgres, 'after_hostile')
    const url = `ws://${dispatcher.operatorAddress}/ws`
    const healed = await runOperator(configFor(url, dispatcher.dispatcherAddress), { log, signal })
    const jobs: string[] = []
    for (let at = 0; at < 10; at++)
      jobs.push(
        await dispatcher.submit({ tag: 'opml', prompt: String(at), model: MODEL, params: PARAMS }),
      )
    for (const job of jobs) await dispatcher.until(job, ({ state }) => state === 'completed')
    const { kept, clock } = await withClient(postgres.url('abused_operator'), async (client) => {
      const { rows } = await client.query(
        "select value, (select count(*) from operator_outbox) as kept from operator_state where name = 'clock'",
      )
      return { kept: Number(rows[0]?.kept), clock: JSON.parse(String(rows[0]?.value)) as object }
    })
    expect(kept).toBe(0)
    expect(Object.keys(clock)).toEqual([operator])
    console.warn(`a hostile dispatcher: ${said} messages, then 10 of 10 honest jobs completed`)
    await healed.close()
    await dispatcher.close()
  },
  TIMEOUT_MS,
)
