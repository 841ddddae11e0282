/**
 * What is wrong after a run, by what clients and operators wrote down themselves against what the dispatcher answers. The only
 * looks into the database are for jobs that no client knows of.
 */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isFinished } from '../../../src/jobs/dispatcher/lifecycle/states.ts'
import type { DetailRecord, ResultRecord } from '../../../src/jobs/dispatcher/schemas.ts'
import { ask, type Entry, type Journal } from './clients.ts'
import type { System } from './system.ts'

/** Findings by kind, each a sentence. */
export type Findings = {
  /** Acknowledged to a client or an operator, and not there. */
  readonly lost: string[]
  /** There more often than once. */
  readonly twice: string[]
  /** Neither done nor given up. */
  readonly stuck: string[]
  /** There, but not what was asked for or answered. */
  readonly wrong: string[]
}

export type Audit = Findings & {
  readonly jobs: number
  readonly results: number
  /** Hand-outs that operators finished; more than results where work was done again. */
  readonly executions: number
}

const READERS = 8
const RETRY_MS = 100

/** Reads every acknowledged job over the API, and every operator's log. */
export async function audit(system: System, journal: Journal): Promise<Audit> {
  const findings: Findings = { lost: [], twice: [], stuck: [], wrong: [] }
  for (const key of journal.contradictions) findings.twice.push(`key ${key} has two jobs`)
  await countJobs(system, journal, findings)

  const results = new Map<string, readonly ResultRecord[]>()
  const texts = new Map<string, Set<string>>()
  const waiting = [...journal.entries]
  const reader = async (): Promise<void> => {
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      const query = { job_id: entry.id, verify: entry.project.token }
      const detail = await read<DetailRecord>(system, '/api/job/detail', query)
      const records = await read<ResultRecord[]>(system, '/api/job/result', query)
      results.set(entry.id, records ?? [])
      checkJob(entry, detail, records, findings)
      texts.set(entry.id, new Set(records?.map(({ result }) => result)))
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  // One prompt, one answer: both engines are deterministic at temperature 0.
  for (const [id, different] of texts)
    if (different.size > 1) findings.wrong.push(`job ${id} has different answers`)

  let executions = 0
  for (const { address, logFile } of system.operators) {
    const log = readOperatorLog(logFile)
    executions += log.finished.size
    checkOperator(address, log, results, findings)
  }
  const count = [...results.values()].reduce((sum, records) => sum + records.length, 0)
  return { ...findings, jobs: journal.entries.length, results: count, executions }
}

function checkJob(
  { id, job, project }: Entry,
  detail: DetailRecord | undefined,
  records: readonly ResultRecord[] | undefined,
  { lost, twice, stuck, wrong }: Findings,
): void {
  if (detail === undefined || records === undefined) {
    lost.push(`job ${id} was acknowledged and is not known`)
    return
  }
  const { state, reason } = detail
  if (!isFinished(state)) stuck.push(`job ${id} stays ${state}`)
  else if (state !== 'completed') lost.push(`job ${id} ${state}: ${reason}`)
  else if (records.length < project.agree) lost.push(`job ${id} has ${records.length} results`)
  if (detail.job.prompt !== job.prompt) wrong.push(`job ${id} has another prompt`)
  // A draw is unique by operator and round; so is what is recorded with it.
  const draws = records.map(({ operator, vrf }) => `${operator} ${vrf.vrf_random_value}`)
  if (new Set(draws).size < draws.length) twice.push(`job ${id} has a result twice`)
  const shown = detail.draws.map(({ operator, round }) => `${operator} ${round}`)
  if (new Set(shown).size < shown.length) twice.push(`job ${id} has a draw twice`)
}

/** Jobs that no acknowledgement named: every request was sent until it was acknowledged, so there are none. */
async function countJobs(system: System, { entries }: Journal, { twice }: Findings): Promise<void> {
  const { rows } = await sql<{ count: bigint }>`select count(*) from jobs`.execute(system.store.db)
  const extra = Number(rows[0]?.count ?? 0n) - new Set(entries.map(({ id }) => id)).size
  if (extra > 0) twice.push(`${extra} jobs were stored that no client knows of`)
}

type OperatorLog = {
  /** Job by lease, of every hand-out that was answered. */
  readonly finished: ReadonlyMap<string, string>
  /** The same, of those whose record was acknowledged. */
  readonly recorded: ReadonlyMap<string, string>
}

function readOperatorLog(file: string): OperatorLog {
  const finished = new Map<string, string>()
  const recorded = new Map<string, string>()
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const { msg, lease, jobId } = parse(line)
    if (lease === undefined || jobId === undefined) continue
    if (msg === 'finished a job') finished.set(lease, jobId)
    // Refusals are acknowledged too.
    if (msg === 'a result was recorded' && finished.has(lease)) recorded.set(lease, jobId)
  }
  return { finished, recorded }
}

/** A line that a killed process had only begun is none. */
function parse(line: string): { msg?: string; lease?: string; jobId?: string } {
  try {
    return JSON.parse(line) as object
  } catch {
    return {}
  }
}

function checkOperator(
  address: string,
  { finished, recorded }: OperatorLog,
  results: ReadonlyMap<string, readonly ResultRecord[]>,
  { lost, wrong }: Findings,
): void {
  const own = (id: string) => results.get(id)?.filter(({ operator }) => operator === address) ?? []
  for (const id of new Set(recorded.values()))
    if (own(id).length === 0) lost.push(`${address} was told that job ${id} is recorded`)
  const worked = new Set(finished.values())
  for (const id of results.keys())
    if (own(id).length > 0 && !worked.has(id)) wrong.push(`${address} never answered job ${id}`)
}

/** Asks until there is an answer; undefined when there is no such job. */
async function read<T>(system: System, path: string, query: object): Promise<T | undefined> {
  for (;;)
    try {
      const answer = await ask<T>(system, path, query)
      if (answer !== undefined) return answer
      await sleep(RETRY_MS)
    } catch {
      return undefined
    }
}
