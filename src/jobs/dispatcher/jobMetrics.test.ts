import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDispatcher, startTestPostgres } from '../../../test/support/dispatcher.ts'
import { createMetrics } from '../../base/metrics.ts'
import { openSql } from '../../store/sql/open.ts'
import { createJobMetrics } from './jobMetrics.ts'
import { DISPATCHER_METRICS } from './metrics.ts'
import type { DispatcherTables } from './tables.ts'

const quiet = pino({ level: 'silent' })
/** No operator serves its model. */
const ownJob = () => ({ tag: 'opml', prompt: 'p', model: 'nobody.gguf' })

let postgres: Awaited<ReturnType<typeof startTestPostgres>>
let dispatcher: Awaited<ReturnType<typeof startTestDispatcher>>
beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'metrics')
})
afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

test('finished jobs are counted once, by state and time, though a replica looks late or often', async () => {
  let clock = 0
  const metrics = createMetrics(DISPATCHER_METRICS)
  const jobs = createJobMetrics(dispatcher.sql, metrics, () => clock)
  const scrape = async () => {
    clock += 60_000
    await jobs.read()
    return (await metrics.scrape()).text
  }
  const finish = async (state: string, seconds: number) => {
    const id = await dispatcher.submit(ownJob())
    await sql`update jobs set state = ${state}, created_at = now() - make_interval(secs => ${30 + seconds}),
      finished_at = now() - interval '30 seconds' where id = ${id}`.execute(dispatcher.sql.db)
  }
  await finish('expired', 3)
  await finish('expired', 700)
  await finish('cancelled', 0.2)
  const text = await scrape()
  expect(text).toContain('assay_jobs_finished_total{state="expired"} 2')
  expect(text).toContain('assay_jobs_finished_total{state="completed"} 0')
  expect(text).toContain('assay_job_seconds_bucket{state="expired",le="5"} 1')
  expect(text).toContain('assay_job_seconds_bucket{state="expired",le="1800"} 2')
  expect(text).toContain('assay_job_seconds_bucket{state="cancelled",le="0.25"} 1')
  expect(text).toContain('assay_database_up 1')
  expect(text).toMatch(/^assay_database_connections\{state="idle"\} [1-9]/m)
  expect(await scrape()).toContain('assay_jobs_finished_total{state="expired"} 2')
})

test('the oldest waiting job is told by its age', async () => {
  const metrics = createMetrics(DISPATCHER_METRICS)
  const id = await dispatcher.submit(ownJob())
  await sql`update jobs set created_at = now() - interval '2 hours' where id = ${id}`.execute(
    dispatcher.sql.db,
  )
  await createJobMetrics(dispatcher.sql, metrics).read()
  const { text } = await metrics.scrape()
  const age = Number(/^assay_job_oldest_waiting_seconds (.+)$/m.exec(text)?.[1])
  expect(age).toBeGreaterThanOrEqual(7200)
})

test('without a database there is a scrape, which says so', async () => {
  const metrics = createMetrics(DISPATCHER_METRICS)
  const away = openSql<DispatcherTables>('postgres://nobody@127.0.0.1:1/none', { log: quiet })
  await createJobMetrics(away, metrics).read()
  expect((await metrics.scrape()).text).toContain('assay_database_up 0')
  await away.close()
})
