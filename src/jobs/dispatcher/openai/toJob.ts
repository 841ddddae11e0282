/** From the body of a request to /v1 to the job that it asks for (D139). */
import type { JobMessage } from '../../../proof/job/canonicalMessages.ts'
import type { JobType } from '../../../proof/job/job.ts'
import { ApiError } from '../apiError.ts'
import { submittedJob } from '../schemas.ts'
import type { JobRequest } from '../submit/newJob.ts'
import { chatBody, completionBody, type ChatBody, type CompletionBody } from './request.ts'
import { checkSupported } from './unsupported.ts'

/** "Until the end of the context": more tokens than any has. */
const NO_MAXIMUM = 1_048_576
/** The default of OpenAI's /v1/completions. */
const COMPLETION_TOKENS = 16

/** A request without the type of its job, which may depend on who serves the model. */
export type Asked = Omit<JobRequest, 'job'> & {
  readonly job: Readonly<Record<string, unknown>> & { readonly model: string }
  /** As the request says; else it depends on who serves the model. */
  readonly type: JobType | undefined
  readonly streams: boolean
  readonly includesUsage: boolean
  readonly warnings: readonly string[]
}

const CHAT_FIELDS: ReadonlySet<string> = new Set(Object.keys(chatBody.shape))
const COMPLETION_FIELDS: ReadonlySet<string> = new Set(Object.keys(completionBody.shape))

/** What a chat asks for. Throws ApiError 400 that names the member. */
export function chatJob(body: ChatBody): Asked {
  const warnings = checkSupported(body, CHAT_FIELDS)
  const max = body.max_completion_tokens ?? body.max_tokens ?? NO_MAXIMUM
  const messages = body.messages.map((message, at) => toMessage(message, at))
  return asked(body, { messages }, { max_tokens: max }, warnings)
}

/** What a completion asks for: the model reads the prompt as it is. Throws ApiError 400 that names the member. */
export function completionJob(body: CompletionBody): Asked {
  const warnings = checkSupported(body, COMPLETION_FIELDS)
  const prompts = typeof body.prompt === 'string' ? [body.prompt] : body.prompt
  const [prompt] = prompts
  if (prompts.length !== 1 || typeof prompt !== 'string')
    throw new ApiError(400, 'prompt: only one text is supported, and no tokens', {
      param: 'prompt',
      reason: 'unsupported_value',
    })
  const params = { max_tokens: body.max_tokens ?? COMPLETION_TOKENS, raw: true }
  return asked(body, { prompt }, params, warnings)
}

function asked(
  body: ChatBody | CompletionBody,
  said: object,
  given: object,
  warnings: readonly string[],
): Asked {
  const { model, temperature, top_p, stop, seed, stream, assay = {} } = body
  const params = {
    temperature: temperature ?? 1,
    top_p: top_p ?? 1,
    ...given,
    ...(stop != null && { stop }),
    ...(seed != null && { seed }),
    ...(stream === true && { stream }),
  }
  return {
    user: assay.user ?? body.safety_identifier ?? body.user ?? '',
    tag: assay.tag ?? '',
    priority: assay.priority ?? 0,
    deadline: assay.deadline,
    agree: assay.agree,
    job: { ...said, model, params },
    type: assay.type,
    streams: stream === true,
    includesUsage: body.stream_options?.include_usage === true,
    warnings,
  }
}

/** Completes a request. Throws ApiError 400 for a name that no model has. */
export function requestOf(asked: Asked, type: JobType): JobRequest {
  const { user, tag, priority, deadline, agree, job } = asked
  const parsed = submittedJob.safeParse({ tag: type, ...job })
  if (parsed.success) return { user, tag, priority, deadline, agree, job: parsed.data }
  const [issue] = parsed.error.issues
  const param = issue?.path.filter((part) => part !== 'params').join('.') ?? null
  throw new ApiError(400, `${param}: ${issue?.message}`, param === null ? {} : { param })
}

/** OpenAI's newer name of "system". */
const ROLES = new Map<string, JobMessage['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
])

function toMessage(message: ChatBody['messages'][number], at: number): JobMessage {
  const refuse = (member: string, why: string): ApiError => {
    const param = `messages.${at}.${member}`
    return new ApiError(400, `${param}: ${why}`, { param, reason: 'unsupported_value' })
  }
  const role = ROLES.get(message.role)
  if (role === undefined)
    throw refuse('role', `"${message.role.slice(0, 32)}" is not supported: there are no tool calls`)
  for (const member of ['tool_calls', 'function_call', 'audio'])
    if (message[member] != null && !isEmptyList(message[member]))
      throw refuse(member, 'tool calls and audio are not supported')
  const { content } = message
  if (content == null) throw refuse('content', 'expected a text')
  if (typeof content === 'string') return { role, content }
  const parts = content.map(({ type, text }, part) => {
    if (type === 'text' && text !== undefined) return text
    throw refuse(
      `content.${part}`,
      `"${type.slice(0, 32)}" is not supported: models read text alone`,
    )
  })
  return { role, content: parts.join('') }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
