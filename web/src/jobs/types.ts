/** Responses of the job API, as far as pages show them (see its /openapi.json). */

export type JobType = 'opml' | 'tee'

export type Clock = Readonly<Record<string, string>>

export type Vrf = {
  readonly selected: boolean
  readonly vrf_random_value: string
  readonly vrf_verify_pubkey: string
  readonly vrf_proof: string
}

export type Draw = Vrf & {
  readonly operator: string
  readonly round: number
  readonly created_at: string
}

/** A message of a conversation. */
export type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }

export type Detail = {
  readonly id: string
  readonly job: {
    /** Either this, or messages. */
    readonly prompt?: string
    readonly messages?: readonly Message[]
    readonly model: string
    readonly params?: Readonly<Record<string, unknown>>
  }
  readonly user: string
  readonly job_type: JobType
  readonly tag: string
  readonly effective_tag?: string
  readonly clock: Clock
  readonly created_at: string
  readonly state: string
  readonly reason: string
  readonly draws: readonly Draw[]
}

export type Result = {
  readonly id: string
  readonly operator: string
  readonly result: string
  readonly verify_id: string
  readonly vrf: Vrf
  readonly clock: Clock
  readonly signature: string
  readonly job_type: JobType
  readonly created_at: string
}

export type Operator = {
  readonly operator: string
  readonly workers: readonly string[]
  readonly models: readonly string[]
  /** What it offers and gets no jobs for; absent in former releases. */
  readonly refused?: readonly { readonly model: string; readonly reason: string }[]
  readonly slots: number
  readonly busy: number
  readonly range: { readonly start: number; readonly end: number; readonly max: number }
}

export type Model = {
  readonly model: string
  readonly job_type: JobType
  readonly operators: number
  readonly slots: number
  /** Whether the name is registered for one file; absent in former releases, like the files that operators state. */
  readonly pinned?: boolean
  readonly identities?: readonly { readonly sha256: string; readonly operators: number }[]
}

export type Submission = {
  readonly from: string
  readonly user: string
  readonly tag: string
  readonly job: {
    readonly tag: JobType
    readonly prompt: string
    readonly model: string
    readonly params: {
      readonly temperature: number
      readonly top_p: number
      readonly max_tokens: number
    }
  }
  readonly priority: number
}

/** Which jobs of a project are listed; `before` is the `next` of the page before. */
export type JobFilter = {
  readonly state?: string | undefined
  readonly model?: string | undefined
  readonly user?: string | undefined
  readonly before?: string | undefined
}

export type ListedJob = {
  readonly job_id: string
  readonly state: string
  readonly reason: string
  readonly job_type: JobType
  readonly model: string
  readonly user: string
  readonly created_at: string
  readonly finished_at: string | null
}

export type JobPage = { readonly jobs: readonly ListedJob[]; readonly next: string | undefined }
