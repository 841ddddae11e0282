/** Long, because it starts a PostgreSQL; the worker is away for seconds, as it is when it is restarted. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../test/support/dispatcher.ts'
import { startScriptedWorker, type ScriptedWorker } from '../../../test/support/scriptedWorker.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { fromHex } from '../../base/hex.ts'
import { addressOfPrivateKey } from '../../base/secp256k1.ts'
import { REGISTRY_ADDRESS } from '../../config/contracts.ts'
import { runOperator, type Operator } from './operator.ts'

const MODEL = 'tiny.gguf'
const JOB = {
  tag: 'tee',
  prompt: 'p',
  model: MODEL,
  params: { temperature: 0, top_p: 1, max_tokens: 16 },
}
/** As many as a hurried operator of the network would set; the absences are more. */
const MAX_ATTEMPTS = 2
const ABSENCES = 3

let postgres: TestPostgres
let dispatcher: TestDispatcher
let worker: ScriptedWorker
const running: Operator[] = []

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'away', { maxAttempts: MAX_ATTEMPTS })
  worker = await startScriptedWorker(await mkdtemp(join(postgres.folder, 'tee-')), [MODEL])
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()))
  worker.isSilent = false
  await worker.comeBack()
})

afterAll(async () => {
  await worker.leave()
  await dispatcher.close()
  await postgres.stop()
})

async function start(types: readonly ('opml' | 'tee')[]): Promise<Operator> {
  const key = new Uint8Array(32).fill(0x31)
  const operator = await runOperator(
    {
      pg_db_url: postgres.url('away_operator'),
      dispatcher_url: `ws://${dispatcher.operatorAddress}/ws`,
      dispatcher_address: fromHex(dispatcher.dispatcherAddress),
      node_id: addressOfPrivateKey(key),
      signer_key: key,
      vrf_key: key,
      chain_rpc_url: 'http://127.0.0.1:9',
      metrics_address: undefined,
      node_type: [...types],
      models_dir: join(postgres.folder, 'models'),
      slots: 4,
      worker_url: worker.url,
      worker_secret_file: '',
      worker_dir: join(postgres.folder, 'worker'),
      engine: 'fixed',
      llama_dir: '',
      registry_contract: fromHex(REGISTRY_ADDRESS),
      max_context: 8192,
      memory_mb: 0,
      threads: 1,
      log_level: 'silent',
    },
    { log: pino({ level: 'silent' }), signal: new AbortController().signal },
  )
  running.push(operator)
  await operator.connected
  return operator
}

const readyFor = async (): Promise<readonly string[]> =>
  (await dispatcher.sql.db.selectFrom('sessions').select('workers').execute()).flatMap(
    ({ workers }) => workers,
  )

// Holds D102.
test('no tee job fails while its worker is away for seconds, again and again', async () => {
  await start(['tee'])
  const jobs: string[] = []
  const areCompleted = async () => {
    for (const id of jobs)
      expect(
        await dispatcher.until(id, ({ state }) => state !== 'created' && state !== 'dispatched'),
      ).toMatchObject({ state: 'completed', reason: '' })
  }
  for (let at = 0; at < ABSENCES; at++) {
    // A worker that breaks off a job may have died of it: that is an attempt, and not what is tested here.
    await areCompleted()
    await worker.leave()
    for (let job = 0; job < 5; job++) jobs.push(await dispatcher.submit(JOB))
    // What is tested is an absence of some length.
    await sleep(1500)
    await worker.comeBack()
    jobs.push(await dispatcher.submit(JOB))
    await waitFor(async () => expect(await readyFor()).toEqual(['tee']))
  }
  await areCompleted()
}, 60_000)

test('an operator whose worker is away goes on with its other jobs, and takes no tee jobs', async () => {
  await start(['opml', 'tee'])
  await worker.leave()
  await waitFor(async () => expect(await readyFor()).toEqual(['opml']))
  const tee = await dispatcher.submit(JOB)
  const opml = await dispatcher.submit({ ...JOB, tag: 'opml' })
  await dispatcher.until(opml, ({ state }) => state === 'completed')
  expect(await dispatcher.detail(tee)).toMatchObject({ state: 'created' })
  await worker.comeBack()
  await dispatcher.until(tee, ({ state }) => state === 'completed')
}, 60_000)

test('an operator that stops returns its jobs at once', async () => {
  const operator = await start(['tee'])
  worker.isSilent = true
  const id = await dispatcher.submit(JOB)
  await dispatcher.until(id, ({ state }) => state === 'dispatched')
  await operator.close()
  await waitFor(async () => {
    const rows = await dispatcher.sql.db
      .selectFrom('jobs')
      .select(['failures', 'postponed', 'state'])
      .where('id', '=', id)
      .execute()
    expect(rows).toEqual([{ failures: 0, postponed: 1, state: 'dispatched' }])
  })
}, 60_000)
