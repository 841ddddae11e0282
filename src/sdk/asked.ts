/** What a request of OpenAI's API asks for, as a statement binds it (D136): the prompt, the parameters and the model. */
import { parseModelReference } from '../base/modelName.ts'
import { paramsHash, promptHash } from '../proof/job/hashes.ts'
import { canonicalMessages, type JobMessage } from '../proof/job/canonicalMessages.ts'
import type { JobParams } from '../proof/job/job.ts'

export type Asked = {
  readonly prompt: string
  readonly promptHash: string
  readonly paramsHash: string
  /** The name, without the hash that may follow it. */
  readonly model: string
  /** The hash that followed the name. */
  readonly modelHash: string | undefined
  readonly streams: boolean
}

type Body = Readonly<Record<string, unknown>>

/** "Until the end of the context". */
const NO_MAXIMUM = 1_048_576
/** The default of OpenAI's /v1/completions. */
const COMPLETION_TOKENS = 16

const ROLES = new Map<unknown, JobMessage['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
])

/** What a request cannot be verified for, in a sentence. */
function unverifiable(what: string): TypeError {
  return new TypeError(`this request cannot be verified: ${what}`)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw unverifiable('a message has no text')
  const parts = content.map((part: { readonly type?: unknown; readonly text?: unknown }) =>
    part.type === 'text' && typeof part.text === 'string' ? part.text : undefined,
  )
  if (parts.includes(undefined)) throw unverifiable('a message has parts that are not text')
  return parts.join('')
}

function messagesOf(messages: unknown): string {
  if (!Array.isArray(messages)) throw unverifiable('messages is not a list')
  return canonicalMessages(
    messages.map((message: { readonly role?: unknown; readonly content?: unknown }) => {
      const role = ROLES.get(message.role)
      if (role === undefined) throw unverifiable('a message has a role that no job has')
      return { role, content: textOf(message.content) }
    }),
  )
}

function promptOf(prompt: unknown): string {
  const [only, ...others] = Array.isArray(prompt) ? (prompt as readonly unknown[]) : [prompt]
  if (typeof only !== 'string' || others.length > 0) throw unverifiable('prompt is not one text')
  return only
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise

function paramsOf(body: Body, isChat: boolean): JobParams {
  const { temperature, top_p: topP, stop, seed } = body
  const stops = typeof stop === 'string' ? [stop] : (stop as readonly string[] | null | undefined)
  const limit = isChat ? (body['max_completion_tokens'] ?? body['max_tokens']) : body['max_tokens']
  return {
    temperature: numberOr(temperature, 1),
    top_p: numberOr(topP, 1),
    max_tokens: numberOr(limit, isChat ? NO_MAXIMUM : COMPLETION_TOKENS),
    ...(isChat ? { messages: true as const } : { raw: true as const }),
    ...(stops !== undefined && stops !== null && { stop: [...stops] }),
    ...(typeof seed === 'number' && { seed }),
  }
}

/** What the body of a request asks for. Throws TypeError for what no statement can bind. */
export function askedOf(body: Body, isChat: boolean): Asked {
  const prompt = isChat ? messagesOf(body['messages']) : promptOf(body['prompt'])
  const wanted = typeof body['model'] === 'string' ? body['model'] : ''
  const { name, sha256 } = parseModelReference(wanted) ?? { name: wanted }
  return {
    prompt,
    promptHash: promptHash(prompt),
    paramsHash: paramsHash(paramsOf(body, isChat)),
    model: name,
    modelHash: sha256,
    streams: body['stream'] === true,
  }
}
