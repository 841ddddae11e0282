/** Opens the request hash of a receipt: what was submitted, by who has the submission (D25, D76). */
import { toHex } from '../base/hex.ts'
import type { KnownRequest } from '../proof/bundle/trust.ts'
import { paramsHash, promptHash } from '../proof/job/hashes.ts'
import { paramsOf, promptOf, submission } from './dispatcher/schemas.ts'
import { requestHash } from './dispatcher/submit/newJob.ts'

/** What a submission asked for. Throws ZodError if it is not the body of one. */
export function knownRequest(json: unknown): KnownRequest {
  const { from, job, ...rest } = submission.parse(json)
  return {
    requestHash: toHex(requestHash({ ...rest, job }, from)),
    jobType: job.tag,
    model: job.model,
    promptHash: promptHash(promptOf(job)),
    paramsHash: paramsHash(paramsOf(job)),
  }
}
