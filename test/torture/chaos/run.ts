/** One run: clients submit, faults happen as the work goes on, and at the end everything is looked through. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createRandom } from '../random.ts'
import { audit, type Audit } from './audit.ts'
import { submitJobs, type Journal } from './clients.ts'
import { strike, type Fault } from './faults.ts'
import type { System } from './system.ts'

export type Run = {
  /** How many jobs are submitted at most, and for how long. */
  readonly jobs: number
  readonly milliseconds: number
  /** What may happen, and how often: evenly over the jobs or the time, whichever is over sooner. */
  readonly faults: readonly Fault[]
  readonly strikes: number
  /** Without any progress for this long, what is not done is stuck. */
  readonly patienceMs: number
  readonly seed: number
}

export type Report = Audit & {
  readonly faults: Readonly<Record<string, number>>
  readonly retries: number
  readonly repeats: number
  readonly seconds: number
}

const LOOK_MS = 100

/** Runs and audits. */
export async function runChaos(system: System, run: Run): Promise<Report> {
  const began = performance.now()
  const random = createRandom(run.seed)
  const journal: Journal = { entries: [], retries: 0, repeats: 0, contradictions: [] }
  const faults: Record<string, number> = {}
  let over = 0

  const elapsed = (): number => performance.now() - began
  const isTime = (): boolean => elapsed() > run.milliseconds

  async function watch(submitted: () => boolean): Promise<void> {
    let changed = performance.now()
    let struck = 0
    const isDone = (): boolean => submitted() && over >= journal.entries.length
    while (!isDone() && performance.now() - changed < run.patienceMs) {
      await sleep(LOOK_MS)
      const now = await countOver(system)
      if (now !== undefined && now > over) {
        over = now
        changed = performance.now()
      }
      // The last one strikes while there is still something to be done.
      const share = Math.max((over + 1) / run.jobs, elapsed() / run.milliseconds)
      if (struck >= Math.min(1, share) * run.strikes) continue
      const name = strike(run.faults, system, random)
      if (name === undefined) continue
      faults[name] = (faults[name] ?? 0) + 1
      struck++
      changed = performance.now()
    }
    // Clients wait for room, which there is none of any more when everything is stuck.
    over = Number.POSITIVE_INFINITY
  }

  let isSubmitted = false
  const submitting = submitJobs(system, {
    jobs: run.jobs,
    isTime,
    journal,
    done: () => over,
    random,
  }).finally(() => (isSubmitted = true))
  await Promise.all([watch(() => isSubmitted), submitting])
  const { retries, repeats } = journal
  const found = await audit(system, journal)
  return { ...found, faults, retries, repeats, seconds: elapsed() / 1000 }
}

/** How many jobs are over; undefined while the database is away. */
async function countOver({ store }: System): Promise<number | undefined> {
  try {
    const { rows } = await sql<{ count: bigint }>`
      select count(*) from jobs where finished_at is not null`.execute(store.db)
    return Number(rows[0]?.count)
  } catch {
    return undefined
  }
}
