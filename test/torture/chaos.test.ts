/**
 * Whatever is killed or stands still, an acknowledged job is done and recorded once: replicas of the dispatcher behind a load
 * balancer, operators with real engines, tee workers and a real PostgreSQL, all processes of their own. A short run;
 * ASSAY_CHAOS_JOBS=10000 ASSAY_CHAOS_FAULTS=220 make a long one, ASSAY_CHAOS_MINUTES one that ends in time, ASSAY_CHAOS_SEED
 * another one. A busy machine needs longer leases: ASSAY_CHAOS_LEASE_MS.
 */
import { afterEach, expect, test } from 'vitest'
import { hasLlamaRuntime } from '../../src/inference/llamaRuntime.ts'
import { ACKNOWLEDGEMENTS_LOST, CUTS, KILLED_OPERATORS, KILLS_AND_PAUSES } from './chaos/faults.ts'
import { runChaos } from './chaos/run.ts'
import { withoutReaper, withoutUniqueness } from './chaos/sabotage.ts'
import { startSystem, type System, type SystemOptions } from './chaos/system.ts'

const JOBS = Number(process.env['ASSAY_CHAOS_JOBS'] ?? 150)
const STRIKES = Number(process.env['ASSAY_CHAOS_FAULTS'] ?? 8)
const MINUTES = Number(process.env['ASSAY_CHAOS_MINUTES'] ?? 720)
const SEED = Number(process.env['ASSAY_CHAOS_SEED'] ?? 1)
const MINUTE_MS = 60_000

const LEASE_MS = Number(process.env['ASSAY_CHAOS_LEASE_MS'] ?? 3000)
const SMALL = { replicas: 2, workers: 0 } as const
const WORKERS = hasLlamaRuntime() ? 2 : 0
if (WORKERS === 0) console.warn('without tee workers: llama.cpp is not installed')

let system: System | undefined

afterEach(async () => {
  await system?.end()
  system = undefined
})

async function start(options: SystemOptions): Promise<System> {
  system = await startSystem(options)
  return system
}

test(
  'every acknowledged job is done and recorded once, whatever is killed or stands still',
  async () => {
    const running = await start({
      replicas: 3,
      operators: 6,
      workers: WORKERS,
      leaseMs: LEASE_MS,
      agreements: [{ k: 1, n: 1 }, { k: 2, n: 3 }, undefined],
    })
    const report = await runChaos(running, {
      jobs: JOBS,
      milliseconds: MINUTES * MINUTE_MS,
      faults: [...KILLS_AND_PAUSES, ...CUTS],
      strikes: STRIKES,
      patienceMs: 120_000,
      seed: SEED,
    })
    console.warn(JSON.stringify(report))
    expect(report).toMatchObject({ lost: [], twice: [], stuck: [], wrong: [] })
    expect(report.jobs).toBeGreaterThanOrEqual(Math.min(JOBS, 50))
  },
  (MINUTES + 20) * MINUTE_MS,
)

test('the audit finds what is stuck when nobody takes leases back', async () => {
  const running = await start({
    ...SMALL,
    operators: 2,
    leaseMs: 1000,
    agreements: [{ k: 1, n: 1 }],
  })
  await withoutReaper(running)
  const report = await runChaos(running, {
    jobs: 60,
    milliseconds: MINUTE_MS,
    faults: KILLED_OPERATORS,
    strikes: 4,
    patienceMs: 6000,
    seed: SEED,
  })
  expect(report.stuck).not.toEqual([])
}, 300_000)

test('the audit finds what is recorded twice when nothing is unique', async () => {
  // While a job waits for everyone, the first can answer it twice: under the same lease, which must outlast a new login.
  const running = await start({
    ...SMALL,
    operators: 3,
    leaseMs: 20_000,
    agreements: [undefined],
  })
  await withoutUniqueness(running)
  const report = await runChaos(running, {
    jobs: 100,
    milliseconds: MINUTE_MS,
    faults: ACKNOWLEDGEMENTS_LOST,
    strikes: 20,
    patienceMs: 6000,
    seed: SEED,
  })
  expect(report.twice).not.toEqual([])
}, 300_000)
