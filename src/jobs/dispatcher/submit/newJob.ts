/** A submission that is ready to be stored. */
import { createHash, randomBytes } from 'node:crypto'
import { canonicalModel } from '../../../base/modelName.ts'
import type { ReviewTag } from '../../../proof/vrfSelection.ts'
import type { Caller } from '../access/access.ts'
import type { SubmittedJob } from '../schemas.ts'

/** What a client requests. */
export type JobRequest = {
  readonly user: string
  readonly tag: ReviewTag
  readonly job: SubmittedJob
  readonly priority: number
  /** Seconds. */
  readonly deadline?: number | undefined
  /** k of n operators must give the same answer; as the project requires if absent (D141). */
  readonly agree?: Agreement | undefined
}

/** k of n operators must give the same answer. */
export type Agreement = { readonly k: number; readonly n: number }

export type NewJob = {
  /** SHA-256 over the seed of the first round and the fingerprint (D25): it proves that neither was chosen later. */
  readonly id: string
  readonly caller: Caller
  readonly user: Buffer
  readonly tag: ReviewTag
  readonly type: SubmittedJob['tag']
  /** What operators are looked for by: the name, with its pin in lower case. */
  readonly model: string
  /** The job object as submitted, plain until it is stored. */
  readonly request: Buffer
  /** The dispatcher's nonce of the first round, 64 hex digits. */
  readonly seed: string
  readonly priority: number
  readonly agree: Agreement | undefined
  readonly deadlineMs: number
  /** Identifies the request among those of its project; a repetition with the same key is the same job. */
  readonly key: string | undefined
  /** SHA-256 of the request without its secrets, to detect that a key is reused for another request. */
  readonly fingerprint: Buffer
}

/** SHA-256 of a request without its secrets (D25). */
export function requestHash(
  { user, tag, job, priority, deadline, agree }: JobRequest,
  project: string,
): Buffer {
  const known = [project, user, tag, priority, deadline ?? null]
  const rest = JSON.stringify(agree === undefined ? known : [...known, agree.k, agree.n])
  return createHash('sha256').update(rest).update(JSON.stringify(job)).digest()
}

/** Prepares a request of a caller; `deadlineMs` applies if it does not set a deadline. */
export function newJob(
  asked: JobRequest,
  caller: Caller,
  deadlineMs: number,
  key?: string,
): NewJob {
  const { user, tag, job, priority, deadline } = asked
  const request = JSON.stringify(job)
  const fingerprint = requestHash(asked, caller.project)
  const seed = randomBytes(32)
  return {
    id: createHash('sha256').update(seed).update(fingerprint).digest('hex'),
    caller,
    user: Buffer.from(user),
    tag,
    type: job.tag,
    model: canonicalModel(job.model),
    request: Buffer.from(request),
    seed: seed.toString('hex'),
    priority,
    agree: asked.agree,
    deadlineMs: deadline === undefined ? deadlineMs : deadline * 1000,
    key,
    fingerprint,
  }
}
