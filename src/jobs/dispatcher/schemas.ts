/** Bodies of the dispatcher's HTTP API (interface.md, "Dispatcher API"; D24, D25, D26, D42). */
import { z } from 'zod'
import { OWN, scalarText, within } from '../../base/boundedSchema.ts'
import { isModelReference, MAX_MODEL_NAME, MODEL_REFERENCE_HINT } from '../../base/modelName.ts'
import { canonicalMessages, messageList } from '../../proof/job/canonicalMessages.ts'
import type { JobParams } from '../../proof/job/job.ts'
import { digits32, jobType, reviewTag, stopTexts, vrfRecord } from '../../proof/job/shapes.ts'
import { DEAD_LETTER_STATES, JOB_STATES } from './lifecycle/states.ts'

/** Sampling parameters. Others are ignored, with a warning (D145). */
export const params = z.looseObject({
  temperature: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('Default 0: always the most likely token.'),
  top_p: z.number().min(0).max(1).optional().describe('Default 1.'),
  max_tokens: z.int().min(1).optional().describe('Default 128.'),
  raw: z
    .boolean()
    .optional()
    .describe('Runs the prompt as it is, without the chat template of the model. Default false.'),
  stop: z
    .union([stopTexts, stopTexts.unwrap().element])
    .optional()
    .describe('The output ends before the first of these texts.'),
  seed: z
    .int()
    .optional()
    .describe('Seeds the sampler. By default nobody chooses: the seed follows from the draw.'),
  stream: z
    .boolean()
    .optional()
    .describe('Whether operators send the text while they generate it. Default false.'),
})

/** A job detail. Unknown keys are ignored, but kept: the job is echoed as submitted (D24). */
export const submittedJob = within(
  z
    .looseObject({
      tag: jobType.describe('Type of operator that executes the job.'),
      prompt: z.string().optional().describe('Required unless there are messages.'),
      messages: messageList.optional().describe('A conversation, in place of a prompt.'),
      model: z.string().refine(isModelReference, MODEL_REFERENCE_HINT).meta({
        minLength: 1,
        maxLength: MAX_MODEL_NAME,
        description:
          'Name of the model, without control characters; followed by @sha256: and 64 hex digits, only that file will do.',
      }),
      params: params.optional(),
    })
    .superRefine(requireOnePrompt),
  OWN,
)

function requireOnePrompt(
  job: {
    readonly prompt?: unknown
    readonly messages?: unknown
    readonly params?: { readonly raw?: unknown } | undefined
  },
  context: z.RefinementCtx,
): void {
  const refuse = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (job.messages === undefined && job.prompt === undefined)
    refuse('prompt', 'expected a text, or messages')
  if (job.messages !== undefined && job.prompt !== undefined)
    refuse('messages', 'there is a prompt already: send one of both')
  if (job.messages !== undefined && job.params?.raw === true)
    refuse('messages', 'with params.raw a prompt is run as it is: send a prompt')
}

export type SubmittedJob = z.infer<typeof submittedJob>

/** The sampling parameters of a submitted job with the defaults from D42. */
export function paramsOf(job: SubmittedJob): JobParams {
  const { temperature = 0, top_p = 1, max_tokens = 128, raw = false, stop, seed } = job.params ?? {}
  return {
    temperature,
    top_p,
    max_tokens,
    ...(raw && { raw }),
    ...(job.messages !== undefined && { messages: true }),
    ...(stop !== undefined && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(seed !== undefined && { seed }),
  }
}

/** The prompt of a submitted job; that of a conversation is its canonical form (D136). */
export function promptOf({ prompt = '', messages }: SubmittedJob): string {
  return messages === undefined ? prompt : canonicalMessages(messages)
}

/** Idempotency keys that clients may choose. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Maximum deadline of a job, in seconds. */
export const LONGEST_DEADLINE_S = 7 * 24 * 3600

const MAX_AGREE = 256

/** How many operators must agree (D141). */
export const agreement = z
  .object({ k: z.int().min(1).max(MAX_AGREE), n: z.int().min(1).max(MAX_AGREE) })
  .refine(({ k, n }) => k <= n, 'k must be from 1 to n')
  .describe('k of n operators must give the same answer; by default as the project requires.')

/** Who submits. */
const sender = {
  from: scalarText().describe('Project id.'),
  verify: scalarText()
    .optional()
    .describe('API token of the project; may be sent as a bearer token instead.'),
}

/** One job of a submission. */
const request = {
  user: z.string().max(1024).default('').describe('User or device to verify.'),
  tag: reviewTag.default(''),
  job: submittedJob,
  priority: z
    .int()
    .min(-100)
    .max(100)
    .default(0)
    .describe('Waiting jobs with a higher priority are handed out first.'),
  deadline: z
    .int()
    .min(1)
    .max(LONGEST_DEADLINE_S)
    .optional()
    .describe(
      'Seconds after which the job expires without a result; default: dispatcher.job-deadline.',
    ),
  agree: agreement.optional(),
}

/** Body of /api/job/submit. */
export const submission = z.object({ ...sender, ...request }).describe('Job submission.')

/** Body of /api/job/batch. */
export const batchSubmission = z
  .object({
    ...sender,
    jobs: z
      .array(
        z.object({
          ...request,
          idempotency_key: z.string().regex(IDEMPOTENCY_KEY).optional(),
        }),
      )
      .min(1)
      .max(1000),
  })
  .describe('Submission of several jobs.')

/** What is said about a job that was accepted all the same. */
export const warnings = z
  .array(z.string())
  .optional()
  .describe('Why the job may wait, or what of it is ignored; absent if there is nothing to say.')

/** Outcome of one job of a batch: its id, or the error that a separate submission would have returned. */
export const batchEntry = z.object({
  code: z.int(),
  job_id: z.string().optional(),
  message: z.string().optional(),
  error: z.string().optional(),
  warnings,
})

/** Body of /api/job/result and /api/job/detail. */
export const query = z
  .object({
    job_id: scalarText(),
    verify: scalarText().optional().describe('API token, required unless reads are open.'),
  })
  .describe('Query by job id.')

const clock = z.record(z.string(), z.string()).describe('Vector clock: counts by participant.')
const time = z.string().describe('UTC, YYYY-MM-DD HH:MM:SS.')

/** One verified answer (D24). */
export const resultRecord = z.object({
  id: z
    .string()
    .describe('_<job_id>_<tag>; not unique: results of several operators may share it.'),
  job_id: z.string(),
  operator: z.string().describe('Address of the operator.'),
  result: z.string().describe('Generated text.'),
  verify_id: z.string().describe('Digest of the signed statement, unique per result.'),
  vrf: vrfRecord,
  clock,
  signature: z.string().describe('EIP-712 signature of the operator over its statement.'),
  job_type: jobType,
  tag: reviewTag,
  created_at: time,
})

export type ResultRecord = z.infer<typeof resultRecord>

/** The steps behind one answer. */
export const traceRecord = z.object({
  operator: z.string(),
  round: z.int(),
  trace: z.string().describe('Base64: hashes per token and layer.'),
})

/** The state of a job, with its draws (D25, D31). */
export const detailRecord = z.object({
  id: z.string(),
  job: submittedJob,
  user: z.string(),
  job_type: jobType,
  status: z.enum(['created', 'dispatched']),
  tag: reviewTag.describe('As submitted.'),
  effective_tag: reviewTag.describe(
    'The tag that the job is drawn with: that of its user, if there is one.',
  ),
  clock,
  created_at: time,
  state: z.enum(JOB_STATES),
  reason: z.string().describe('Why the job failed or expired; otherwise empty.'),
  draws: z
    .array(vrfRecord.extend({ operator: z.string(), round: z.int(), created_at: time }))
    .describe('All verified draws, including those of operators that were not selected.'),
})

export type DetailRecord = z.infer<typeof detailRecord>

/** Body of /api/job/dead-letters. */
export const deadLetterQuery = z.object({
  verify: scalarText().optional(),
  limit: z.int().min(1).max(1000).default(100),
  after: digits32.optional().describe('Id of the last job of the previous page.'),
})

/** A job that failed or expired. */
export const deadLetter = z.object({
  job_id: z.string(),
  state: z.enum(DEAD_LETTER_STATES),
  reason: z.string(),
  job_type: jobType,
  model: z.string(),
  failures: z.int().describe('Number of hand-outs without a result.'),
  finished_at: time,
})

export type DeadLetter = z.infer<typeof deadLetter>

/** A connected operator. */
export const operatorEntry = z.object({
  operator: z.string(),
  workers: z.array(z.string()),
  models: z.array(z.string()),
  refused: z
    .array(z.object({ model: z.string(), reason: z.string() }))
    .describe('Models that it offers and gets no jobs for: they are other files than registered.'),
  other_files: z
    .int()
    .describe('Number of its answers from another file than the pinned or registered one.'),
  slots: z.int().describe('Maximum number of jobs it holds at a time.'),
  busy: z.int().describe('Number of jobs it holds now.'),
  range: z.object({ start: z.int(), end: z.int(), max: z.int() }),
})

export type OperatorEntry = z.infer<typeof operatorEntry>

const modelHashes = {
  sha256: z.string().describe('SHA-256 of the file: the modelHash of statements.'),
  model_root: z.string().optional().describe('Root over its weights.'),
  template_hash: z.string().optional().describe('SHA-256 of its chat template.'),
  token_list_hash: z.string().optional().describe('Hash of its token list.'),
}

/** A model that can be requested. */
export const modelEntry = z.object({
  model: z.string(),
  job_type: jobType,
  operators: z.int(),
  slots: z.int(),
  pinned: z.boolean().describe('Whether the name is registered: only one file is served under it.'),
  registered: z.object(modelHashes).optional().describe('What the name is registered for.'),
  identities: z
    .array(z.object({ ...modelHashes, operators: z.int() }))
    .describe('The files that its operators state, those of most operators first.'),
})

export type ModelEntry = z.infer<typeof modelEntry>

/** The success envelope around a result. */
export function success<T extends z.ZodType>(result: T) {
  return z.object({ code: z.literal(200), result })
}

/** Body of every error (D26). */
export const failure = z
  .object({
    code: z.int().describe('The HTTP status.'),
    message: z.string(),
    error: z.string().describe('Stable name of the error.'),
    request_id: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .describe('Error.')
