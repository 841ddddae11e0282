// Holds D103.
/**
 * A database that takes no writes for a while, at random moments, under a load of submissions: what was acknowledged is there
 * afterwards, and whatever was not got an answer that asks to come back. ASSAY_TORTURE_RUNS says how often (npm run torture: 500),
 * ASSAY_TORTURE_SEED repeats a sequence.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../support/dispatcher.ts'
import { waitFor } from '../support/waitFor.ts'
import { withClient } from '../../src/store/sql/database.ts'
import { createRandom } from './random.ts'
import { recordCampaign, secondsSince } from './record.ts'

const RUNS = Math.max(3, Math.round(Number(process.env['ASSAY_TORTURE_RUNS'] ?? 50) / 10))
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)
const CLIENTS = 4
const PARAMS = { temperature: 0, top_p: 1, max_tokens: 16 }
const JOB = { tag: 'opml', prompt: 'What is AI?', model: 'nobody.gguf', params: PARAMS }

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres.stop())

const readiness = async ({ httpAddress }: TestDispatcher): Promise<number> =>
  (await fetch(`http://${httpAddress}/readyz`)).status

/** Whether the server takes writes. The session that says so may write either way. */
const setWritable = (isWritable: boolean): Promise<void> =>
  withClient(postgres.url('postgres'), async (client) => {
    await client.query('set default_transaction_read_only = off')
    const value = isWritable ? 'off' : 'on'
    await client.query(`alter system set default_transaction_read_only = ${value}`)
    await client.query('select pg_reload_conf()')
  })

/** Submits until the signal is aborted. Answers other than an id or a wish for a later try are reported. */
async function submitAlways(
  dispatcher: TestDispatcher,
  seen: { readonly ids: string[]; readonly wrong: string[]; refusals: number },
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const { status, headers, body } = await dispatcher.post('/api/job/submit', {
      from: 'test',
      verify: dispatcher.token,
      job: JOB,
    })
    if (status === 200) seen.ids.push(body.result)
    else if (status === 503 && Number(headers.get('retry-after')) > 0) seen.refusals++
    else seen.wrong.push(JSON.stringify(body))
    await sleep(2)
  }
}

test(
  `${RUNS} times without writes lose no job that was acknowledged`,
  { timeout: 120_000 + RUNS * 30_000 },
  async () => {
    const random = createRandom(SEED)
    const dispatcher = await startTestDispatcher(postgres, 'read_only_campaign')
    const seen = { ids: [] as string[], wrong: [] as string[], refusals: 0 }
    const recovery: number[] = []
    const stopping = new AbortController()
    const load = Promise.all(
      Array.from({ length: CLIENTS }, () => submitAlways(dispatcher, seen, stopping.signal)),
    )
    for (let run = 0; run < RUNS; run++) {
      await sleep(random() * 300)
      await setWritable(false)
      await waitFor(async () => expect(await readiness(dispatcher)).toBe(503))
      await sleep(random() * 300)
      const from = performance.now()
      await setWritable(true)
      await waitFor(async () => expect(await readiness(dispatcher)).toBe(200))
      recovery.push(secondsSince(from))
    }
    stopping.abort()
    await load
    const { rows } = await withClient(postgres.url('read_only_campaign'), (client) =>
      client.query<{ id: string }>('select id from jobs'),
    )
    const kept = new Set(rows.map(({ id }) => id))
    const lost = seen.ids.filter((id) => !kept.has(id))
    recordCampaign('database-read-only', {
      fault: 'a database that takes no writes for a while, under a load of submissions',
      runs: RUNS,
      lost: lost.length,
      recovery,
      note: `seed ${SEED}; ${seen.ids.length} jobs acknowledged, ${seen.refusals} asked to come back later`,
    })
    console.info(`seed ${SEED}: ${seen.ids.length} acknowledged, ${seen.refusals} refused`)
    expect(seen.wrong, `seed ${SEED}`).toEqual([])
    expect(lost, `seed ${SEED}`).toEqual([])
    expect(seen.refusals).toBeGreaterThan(0)
    await dispatcher.close()
  },
)
