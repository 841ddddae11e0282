/**
 * Everything that can happen to jobs, one event at a time. Each calls the dispatcher's own functions on a real database, and says
 * which causes of the lifecycles may move rows meanwhile. Time passes only when an event says so.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { FULL_RANGE } from '../../src/jobs/dispatcher/admission.ts'
import { ApiError } from '../../src/jobs/dispatcher/apiError.ts'
import { cancelJob, retryJob } from '../../src/jobs/dispatcher/control.ts'
import type { JobCause } from '../../src/jobs/dispatcher/lifecycle.ts'
import type { AssignmentCause } from '../../src/jobs/dispatcher/lifecycle/assignments.ts'
import { Committees } from '../../src/jobs/dispatcher/committees.ts'
import { planJobs } from '../../src/jobs/dispatcher/plan.ts'
import { findHandout, recordFailure, recordResult } from '../../src/jobs/dispatcher/record.ts'
import { removeJob, removeOldJobs } from '../../src/jobs/dispatcher/removal.ts'
import {
  claimAssignments,
  expireJobs,
  reapAssignments,
} from '../../src/jobs/dispatcher/schedule.ts'
import { closeOperatorSession, openOperatorSession } from '../../src/jobs/dispatcher/sessions.ts'
import { newJob } from '../../src/jobs/dispatcher/submit/newJob.ts'
import { openSubmitter } from '../../src/jobs/dispatcher/submit/submit.ts'
import type { DispatcherSql } from '../../src/jobs/dispatcher/tables.ts'
import { openVault } from '../../src/jobs/dispatcher/vault/vault.ts'
import type { VectorClock } from '../../src/proof/job/job.ts'
import { statementOf } from './scriptedOperator.ts'

/** Number of unsuccessful hand-outs after which a job fails. */
export const MAX_ATTEMPTS = 2
/** Number of operators that a job is for at first. */
const COMMITTEE = 16
/** All operators; each takes two jobs at once. */
export const OPERATORS = ['01', '02', '03'].map((byte) => `0x${byte.repeat(20)}`)

const MODEL = 'm.gguf'
const LEASE_MS = 60_000
const DEADLINE_MS = 600_000
const DISPATCHER = `0x${'dd'.repeat(20)}`
const NO_HASH = `0x${'00'.repeat(32)}`

/** One event: what it calls, and what may move rows while it does. */
export type JobEvent = {
  readonly name: string
  readonly job: readonly JobCause[]
  readonly assignment: readonly AssignmentCause[]
  /** The job that it is about, with the cause that is to move it; or the lease of an assignment. */
  readonly about?: { readonly job: string; readonly cause: JobCause } | { readonly lease: string }
  /** Resolves with what the caller learns: the recording of a message, or whether a request was granted. */
  run(): Promise<unknown>
}

export type Lease = {
  readonly job: string
  readonly operator: string
  readonly lease: string
  readonly clock: VectorClock
}

/** A job and the project that it belongs to. */
export type OwnedJob = { readonly id: string; readonly project: string }

export type JobEvents = Awaited<ReturnType<typeof openJobEvents>>

/** Events on a database, with the key file of its vault. */
export async function openJobEvents(store: DispatcherSql, keyFile: string) {
  const { db } = store
  const vault = await openVault(store, keyFile)
  const submitter = openSubmitter(store, vault, DISPATCHER)
  const domain = { chainId: 1n, dispatcher: DISPATCHER }
  const sessions = new Map<string, string>()
  /** All that were handed out. */
  const leases: Lease[] = []

  async function connect(operator: string): Promise<void> {
    if (sessions.has(operator)) return
    const session = randomBytes(32).toString('hex')
    const offer = { operator, session, protocol: 3, workers: ['opml'], models: [MODEL] } as const
    await openOperatorSession(store, randomUUID(), { ...offer, slots: 2 }, FULL_RANGE)
    sessions.set(operator, session)
  }

  async function disconnect(operator: string): Promise<void> {
    const session = sessions.get(operator)
    sessions.delete(operator)
    if (session !== undefined) await closeOperatorSession(store, session)
  }

  return {
    leases,

    submit(project: string, user: string, tag: '' | 'suspicion' = ''): JobEvent & OwnedJob {
      const job = newJob(
        { user, tag, job: { tag: 'opml', prompt: 'p', model: MODEL }, priority: 0 },
        {
          project,
          token: 'token',
          limits: { jobsPerMinute: 0, tokenJobsPerMinute: 0, jobsPerDay: 0, tokensPerMinute: 0 },
        },
        DEADLINE_MS,
      )
      return {
        id: job.id,
        project,
        name: `submit ${brief(job.id)} ${tag}`,
        job: ['submit', 'review'],
        assignment: [],
        run: () => submitter.submit(job),
      }
    },

    /** After the waits of all jobs, and with these operators back. */
    plan: (back: readonly string[]): JobEvent => ({
      name: 'plan',
      job: [],
      assignment: ['plan'],
      async run() {
        for (const operator of back) await connect(operator)
        await sql`update jobs set run_at = now()`.execute(db)
        const settings = { committee: COMMITTEE, maxAttempts: MAX_ATTEMPTS }
        await planJobs(store, new Committees(store), settings)
      },
    }),

    /** By a replica that these operators are connected to. */
    handOut: (here: readonly string[]): JobEvent => ({
      name: `hand out to ${here.map(brief).join(', ')}`,
      job: ['hand-out'],
      assignment: ['hand-out'],
      async run() {
        const present = here.flatMap((operator) => sessions.get(operator) ?? [])
        const handouts = await claimAssignments(store, present, LEASE_MS)
        for (const { job_id: job, operator, lease, clock } of handouts)
          leases.push({ job, operator, lease, clock })
      },
    }),

    /** With an output, or without having been drawn. */
    answer: ({ job, operator, lease, clock }: Lease, output?: string): JobEvent => ({
      name: `${brief(operator)} answers ${brief(job)}: ${output}`,
      job: ['settle'],
      assignment: ['result', 'settle'],
      about: { lease },
      async run() {
        const known = await findHandout(store, vault, operator, lease)
        if (typeof known === 'string') return known
        const selected = output !== undefined
        const vrf = {
          selected,
          vrf_prompt_hash: '',
          vrf_random_value: '',
          vrf_verify_pubkey: '',
          vrf_proof: '',
        }
        const statement = statementOf(
          {
            jobId: job,
            operator,
            seed: known.seed,
            jobType: known.job.tag,
            prompt: known.job.prompt,
            model: known.job.model,
            params: known.job.params,
            vrfProofHash: NO_HASH,
            clockHash: NO_HASH,
            drawBlockHash: NO_HASH,
            createdAt: known.createdAt,
            statementVersion: 3,
          },
          output ?? '',
        )
        const answer = selected ? { output, statement, signature: '' } : undefined
        const verifyId = randomBytes(32).toString('hex')
        const { recording } = await recordResult(
          store,
          vault,
          { type: 'result', jobId: job, lease, selected, vrf, clock, answer },
          { selected, answer: selected ? { verifyId, evidenceLevel: 'none' } : undefined },
          { operator, known, domain, maxAttempts: MAX_ATTEMPTS },
        )
        return recording
      },
    }),

    refuse: ({ job, operator, lease }: Lease, retry: boolean): JobEvent => ({
      name: `${brief(operator)} refuses ${brief(job)}${retry ? ' for now' : ''}`,
      job: ['settle'],
      assignment: ['refusal', 'settle'],
      about: { lease },
      async run() {
        const failure = { operator, lease, reason: 'no', retry }
        return (await recordFailure(store, failure, MAX_ATTEMPTS)).recording
      },
    }),

    /** After these operators have left, and one fell silent about its lease. */
    reap: (gone: readonly string[], silent?: Lease): JobEvent => ({
      name: `reap without ${gone.map(brief).join(', ')}, ${silent && brief(silent.operator)} silent`,
      job: ['settle'],
      assignment: ['reap'],
      async run() {
        await sql`update assignments set lease_until = now() - interval '1 second'
          where lease = ${silent?.lease}`.execute(db)
        for (const operator of gone) await disconnect(operator)
        await sql`update assignments set created_at = now() - interval '1 day'`.execute(db)
        await reapAssignments(store, { leaseMs: LEASE_MS, maxAttempts: MAX_ATTEMPTS })
      },
    }),

    passDeadline: ({ id }: OwnedJob): JobEvent => ({
      name: `the deadline of ${brief(id)} passes`,
      job: ['deadline'],
      assignment: ['deadline'],
      about: { job: id, cause: 'deadline' },
      async run() {
        await sql`update jobs set deadline_at = now() where id = ${id}`.execute(db)
        await expireJobs(store)
      },
    }),

    passRetention: ({ id }: OwnedJob): JobEvent => ({
      name: `the retention of ${brief(id)} passes`,
      job: ['remove'],
      assignment: ['remove'],
      about: { job: id, cause: 'remove' },
      async run() {
        await sql`update jobs set finished_at = finished_at - interval '1 day'
          where id = ${id}`.execute(db)
        await removeOldJobs(store, 3_600_000)
      },
    }),

    cancel: (job: OwnedJob): JobEvent => ({
      name: `cancel ${brief(job.id)}`,
      job: ['cancel'],
      assignment: ['cancel'],
      about: { job: job.id, cause: 'cancel' },
      run: () => isGranted(cancelJob(store, job)),
    }),

    retry: (job: OwnedJob): JobEvent => ({
      name: `retry ${brief(job.id)}`,
      job: ['retry'],
      assignment: [],
      about: { job: job.id, cause: 'retry' },
      run: () => isGranted(retryJob(store, job, DEADLINE_MS)),
    }),

    remove: (job: OwnedJob): JobEvent => ({
      name: `remove ${brief(job.id)}`,
      job: ['remove'],
      assignment: ['remove'],
      about: { job: job.id, cause: 'remove' },
      run: () => isGranted(removeJob(store, job)),
    }),
  }
}

const brief = (id: string): string => id.slice(0, 8)

/** Whether a request of a project was not refused. */
async function isGranted(request: Promise<void>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
