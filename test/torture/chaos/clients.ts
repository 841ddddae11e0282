/** Clients that submit jobs until each is acknowledged, and keep a journal of what they were told. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Project, System } from './system.ts'

/** What a client sent, and how it was acknowledged. */
export type Entry = {
  readonly key: string
  readonly project: Project
  readonly job: { readonly tag: 'opml' | 'tee'; readonly prompt: string }
  /** The id that the acknowledgement named. */
  readonly id: string
}

export type Journal = {
  /** One entry per acknowledged job, in the order of the acknowledgements. */
  readonly entries: Entry[]
  /** Requests that brought no acknowledgement and were sent again. */
  retries: number
  /** Requests that were sent again although they had been acknowledged. */
  repeats: number
  /** Keys that were acknowledged with two different ids. */
  readonly contradictions: string[]
}

const CLIENTS = 12
/** Jobs that may be under way: as many wait, so that those who work always have some in hand. */
const UNDER_WAY = 80
const PATIENCE_MS = 5_000
const RETRY_MS = 100
const BATCH = 5
const PARAMS = { temperature: 0, top_p: 1, max_tokens: 4 }

/** Submits up to `jobs` jobs; `done` says how many are over. Resolves when all are acknowledged. */
export async function submitJobs(
  system: System,
  options: {
    readonly jobs: number
    /** Whether no more are to be submitted. */
    readonly isTime: () => boolean
    readonly journal: Journal
    readonly done: () => number
    readonly random: () => number
  },
): Promise<void> {
  const { jobs, isTime, journal, done, random } = options
  let taken = 0

  async function client(): Promise<void> {
    while (taken < jobs && !isTime()) {
      if (taken - done() >= UNDER_WAY) {
        await sleep(20)
        continue
      }
      const count = random() < 0.1 ? Math.min(BATCH, jobs - taken) : 1
      taken += count
      // Mostly of the first: the further ones cost many times the work.
      const project = system.projects[Math.floor(random() ** 4 * system.projects.length)]
      if (project === undefined) throw new Error('there are no projects')
      const wanted = Array.from({ length: count }, () => {
        const key = randomUUID()
        const tag = system.hasWorkers && random() < 0.1 ? ('tee' as const) : ('opml' as const)
        return { key, project, job: { tag, prompt: key } }
      })
      const ids = await acknowledged(project, wanted)
      journal.entries.push(...wanted.map((each, at) => ({ ...each, id: ids[at] ?? '' })))
      if (random() < 0.05) await repeat(project, wanted, ids)
    }
  }

  type Wanted = Omit<Entry, 'id'>

  /** Sends the same request again and again until it is acknowledged. */
  async function acknowledged(project: Project, wanted: readonly Wanted[]): Promise<string[]> {
    for (;;) {
      const ids = await submit(system, project, wanted)
      if (ids !== undefined) return ids
      journal.retries++
      await sleep(RETRY_MS)
    }
  }

  async function repeat(
    project: Project,
    wanted: readonly Wanted[],
    ids: readonly string[],
  ): Promise<void> {
    journal.repeats++
    const again = await acknowledged(project, wanted)
    for (const [at, { key }] of wanted.entries())
      if (again[at] !== ids[at]) journal.contradictions.push(key)
  }

  await Promise.all(Array.from({ length: CLIENTS }, client))
}

/** One request, by itself or as a batch; undefined when it was not acknowledged. */
async function submit(
  system: System,
  { project, token }: Project,
  wanted: readonly Omit<Entry, 'id'>[],
): Promise<string[] | undefined> {
  const sender = { from: project, verify: token }
  const jobs = wanted.map(({ key, job }) => ({
    idempotency_key: key,
    job: { ...job, model: 'tiny.gguf', params: PARAMS },
  }))
  const [first] = jobs
  if (first === undefined) return []
  if (jobs.length === 1) {
    const headers = { 'idempotency-key': first.idempotency_key }
    const body = { ...sender, job: first.job }
    const id = await ask<string>(system, '/api/job/submit', body, headers)
    return id === undefined ? undefined : [id]
  }
  const entries = await ask<{ job_id?: string }[]>(system, '/api/job/batch', { ...sender, jobs })
  const ids = entries?.flatMap(({ job_id: id }) => id ?? [])
  return ids?.length === jobs.length ? ids : undefined
}

/** The result of a request, or undefined when it failed for now. Throws when it was refused for good. */
export async function ask<T>(
  { api }: System,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<T | undefined> {
  try {
    const response = await fetch(`http://${api.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await response.text()
    if (response.status >= 500) return undefined
    const answer = JSON.parse(text) as { code: number; result: T }
    if (answer.code !== 200) throw new RefusedError(`${path} answers ${text}`)
    return answer.result
  } catch (error) {
    // Everything else is a connection that broke, or one that says nothing any more.
    if (error instanceof RefusedError) throw error
    return undefined
  }
}

class RefusedError extends Error {
  override readonly name = 'RefusedError'
}
