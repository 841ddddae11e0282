/** A submission that is ready to be stored. */
import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../access/access.ts'
import type { Submission } from '../schemas.ts'

export type NewJob = {
  /** SHA-256 over a random salt and the request (D25). */
  readonly id: string
  readonly caller: Caller
  readonly user: Buffer
  readonly tag: Submission['tag']
  readonly type: Submission['job']['tag']
  readonly model: string
  /** The job object as submitted. */
  readonly request: Buffer
  /** The dispatcher's nonce of the first round, 64 hex digits. */
  readonly seed: string
  /** Names the request among those of its project; another one with the same key is the same job. */
  readonly key: string | undefined
  /** SHA-256 of the request without its secrets, by which a key that is used for another one is noticed. */
  readonly fingerprint: Buffer
}

/** Prepares a submission of a caller. */
export function newJob(submission: Submission, caller: Caller, key?: string): NewJob {
  const { user, tag, job } = submission
  const request = JSON.stringify(job)
  const rest = JSON.stringify([caller.project, user, tag])
  return {
    id: createHash('sha256').update(randomBytes(32)).update(rest).update(request).digest('hex'),
    caller,
    user: Buffer.from(user),
    tag,
    type: job.tag,
    model: job.model,
    request: Buffer.from(request),
    seed: randomBytes(32).toString('hex'),
    key,
    fingerprint: createHash('sha256').update(rest).update(request).digest(),
  }
}
