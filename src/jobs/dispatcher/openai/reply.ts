/** Answers of /v1 in the form of OpenAI's API, with what proves them in the member `assay` (D139). */
import { z } from 'zod'
import { receipt } from '../../../proof/job/receipt.ts'
import { statement } from '../../../proof/job/statement.ts'
import type { RecordedAnswer } from './answers.ts'

/** Headers of an answer: the job's id, the path of its bundle, and the digest of the statement. */
export const HEADERS = {
  job: 'x-assay-job',
  receipt: 'x-assay-receipt',
  verifyId: 'x-assay-verify-id',
} as const

/** Path of a job's bundle. */
export function receiptPath(job: string): string {
  return `/api/job/receipt/${job}`
}

/** What proves an answer. */
export const proven = z
  .object({
    provisional: z.literal(false),
    job_id: z.string(),
    verify_id: z.string().describe('Digest of the signed statement.'),
    operator: z.string(),
    evidence: z.enum(['none', 'hardware', 'software-insecure']),
    statement,
    signature: z.string().describe("The operator's, over the statement."),
    receipt: receipt.optional(),
    dispatcher_signature: z.string().optional().describe("The dispatcher's, over the receipt."),
    receipt_path: z.string().describe('Where the bundle is that proves all of it offline.'),
    warnings: z.array(z.string()).describe('Members of the request that were ignored.'),
  })
  .describe('What proves the answer.')

const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
})
const finishReason = z.enum(['stop', 'length'])
const common = {
  id: z.string(),
  created: z.int(),
  model: z.string(),
  system_fingerprint: z.string(),
  usage,
  assay: proven,
}

/** Body of an answered chat. */
export const chatCompletion = z.object({
  ...common,
  object: z.literal('chat.completion'),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string(),
        refusal: z.null(),
      }),
      logprobs: z.null(),
      finish_reason: finishReason,
    }),
  ),
})

/** Body of an answered completion. */
export const textCompletion = z.object({
  ...common,
  object: z.literal('text_completion'),
  choices: z.array(
    z.object({
      index: z.int(),
      text: z.string(),
      logprobs: z.null(),
      finish_reason: finishReason,
    }),
  ),
})

/** What a reply is about. `created` is in seconds since 1970. */
export type About = {
  readonly job: string
  readonly model: string
  readonly created: number
  readonly warnings: readonly string[]
}

function usageOf({ statement: { tokens, promptTokens = 0 } }: RecordedAnswer) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens,
    total_tokens: promptTokens + tokens,
  }
}

/** The engine, and the beginning of the hash of the model file. */
function fingerprintOf({ statement: { engine, modelHash } }: RecordedAnswer): string {
  return `${engine} ${modelHash.slice(2, 18)}`
}

function provenBy(answer: RecordedAnswer, { job, warnings }: About): z.infer<typeof proven> {
  const { verifyId, operator, evidence, signature, dispatcherSignature } = answer
  return {
    provisional: false,
    job_id: job,
    verify_id: verifyId,
    operator,
    evidence,
    statement: answer.statement,
    signature,
    ...(answer.receipt !== undefined && { receipt: answer.receipt }),
    ...(dispatcherSignature !== undefined && { dispatcher_signature: dispatcherSignature }),
    receipt_path: receiptPath(job),
    warnings: [...warnings],
  }
}

function commonOf(answer: RecordedAnswer, about: About) {
  return {
    created: about.created,
    model: about.model,
    system_fingerprint: fingerprintOf(answer),
    usage: usageOf(answer),
    assay: provenBy(answer, about),
  }
}

/** A kind of completion: how it is named, and what its answers and the parts of its streams look like. */
export type Kind = {
  whole(answer: RecordedAnswer, about: About): Readonly<Record<string, unknown>>
  /** Parts of a stream: before all text, with text, and after it. */
  begin(about: About): Readonly<Record<string, unknown>> | undefined
  part(text: string, about: About): Readonly<Record<string, unknown>>
  end(answer: RecordedAnswer, about: About): Readonly<Record<string, unknown>>
  usage(answer: RecordedAnswer, about: About): Readonly<Record<string, unknown>>
}

const provisional = ({ job }: About) => ({ provisional: true, job_id: job })

function chunk(about: About, delta: object, more: object = {}) {
  return {
    id: `chatcmpl-${about.job}`,
    object: 'chat.completion.chunk',
    created: about.created,
    model: about.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
    assay: provisional(about),
    ...more,
  }
}

/** /v1/chat/completions. */
export const chat = {
  whole(answer: RecordedAnswer, about: About): z.infer<typeof chatCompletion> {
    const message = { role: 'assistant' as const, content: answer.output, refusal: null }
    const { finishReason: finish_reason } = answer.statement
    return {
      id: `chatcmpl-${about.job}`,
      object: 'chat.completion',
      ...commonOf(answer, about),
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
    }
  },
  begin: (about) => chunk(about, { role: 'assistant', content: '', refusal: null }),
  part: (text, about) => chunk(about, { content: text }),
  end: (answer, about) => {
    const { finishReason: finish_reason } = answer.statement
    return chunk(
      about,
      {},
      {
        system_fingerprint: fingerprintOf(answer),
        choices: [{ index: 0, delta: {}, logprobs: null, finish_reason }],
        assay: provenBy(answer, about),
      },
    )
  },
  usage: (answer, about) =>
    chunk(about, {}, { choices: [], usage: usageOf(answer), assay: provenBy(answer, about) }),
} satisfies Kind

function textPart(about: About, choices: readonly object[], more: object) {
  return {
    id: `cmpl-${about.job}`,
    object: 'text_completion',
    created: about.created,
    model: about.model,
    choices,
    ...more,
  }
}

/** /v1/completions. */
export const completion = {
  whole(answer: RecordedAnswer, about: About): z.infer<typeof textCompletion> {
    const { finishReason: finish_reason } = answer.statement
    return {
      id: `cmpl-${about.job}`,
      object: 'text_completion',
      ...commonOf(answer, about),
      choices: [{ index: 0, text: answer.output, logprobs: null, finish_reason }],
    }
  },
  begin: () => undefined,
  part: (text, about) =>
    textPart(about, [{ index: 0, text, logprobs: null, finish_reason: null }], {
      assay: provisional(about),
    }),
  end: (answer, about) => {
    const { finishReason: finish_reason } = answer.statement
    return textPart(about, [{ index: 0, text: '', logprobs: null, finish_reason }], {
      system_fingerprint: fingerprintOf(answer),
      assay: provenBy(answer, about),
    })
  },
  usage: (answer, about) =>
    textPart(about, [], { usage: usageOf(answer), assay: provenBy(answer, about) }),
} satisfies Kind
