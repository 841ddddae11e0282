/** The nouns of a verification job (interface.md, "Job submission", "Job result record", "Job detail record"; D24, D25, D42). */

/** Which kind of operator checks a job. */
export type JobType = 'opml' | 'tee'

/** Sampling parameters, with the defaults of D42 filled in. */
export type JobParams = {
  readonly temperature: number
  readonly top_p: number
  readonly max_tokens: number
  /** Set where the prompt is run as it is, without the model's chat template (D57). */
  readonly raw?: true
  /** Set where the prompt is a conversation (canonicalMessages.ts, D136). */
  readonly messages?: true
  /** The output ends before the first of these texts (D137). */
  readonly stop?: readonly string[]
  /** Seeds the sampler instead of what nobody chooses (D137). */
  readonly seed?: number
}

/** What to run. */
export type JobSpec = {
  readonly tag: JobType
  readonly prompt: string
  readonly model: string
  readonly params: JobParams
}

/** The block that a draw binds (D32); its hash is 64 digits without 0x. */
export type DrawBlock = { readonly number: number; readonly hash: string }

/** How jobs end (D25). */
export const JOB_ENDS = ['completed', 'failed', 'expired', 'cancelled'] as const
export type JobEnd = (typeof JOB_ENDS)[number]

/** The state of a job, finer than the two values of `status` (D25). */
export type JobState = 'created' | 'dispatched' | JobEnd

/** A vector clock (D28): decimal strings under participant ids. */
export type VectorClock = Readonly<Record<string, string>>

/** The draw that decides whether an operator's answer counts (D31, D32), as in a result record. */
export type VrfRecord = {
  readonly selected: boolean
  readonly vrf_prompt_hash: string
  readonly vrf_random_value: string
  readonly vrf_verify_pubkey: string
  readonly vrf_proof: string
}

/** Ids of jobs (D25). */
export const JOB_ID = /^[0-9a-f]{64}$/
