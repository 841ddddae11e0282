/** A chat completion of /v1, as it comes (D138, D139). */
import { readEvents } from '../../../src/sdk/eventStream.ts'
import type { Message } from '../jobs/types.ts'
import type { Settings } from './conversation.ts'

export type Part =
  | { readonly kind: 'job'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  /** The recorded answer is the text so far. */
  | { readonly kind: 'end'; readonly warnings: readonly string[] }

/** The API refused, or the answer ended with an error; the message is the API's own. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Body = {
  readonly error?: { readonly message?: unknown }
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[]
  readonly assay?: {
    readonly job_id?: unknown
    readonly provisional?: unknown
    readonly warnings?: unknown
  }
}

export type Request = {
  /** URL of the job API. */
  readonly url: string
  readonly token: string
  readonly settings: Settings
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

function bodyOf({ settings, messages }: Request): object {
  const { model, temperature, topP, maxTokens, type } = settings
  return {
    model,
    messages,
    stream: true,
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    ...(type !== '' && { assay: { type } }),
  }
}

function messageOf({ error }: Body, otherwise: string): string {
  return typeof error?.message === 'string' ? error.message : otherwise
}

function* partsOf({ choices, assay }: Body): Generator<Part> {
  if (typeof assay?.job_id === 'string' && /^[0-9a-f]{64}$/.test(assay.job_id))
    yield { kind: 'job', id: assay.job_id }
  const content = choices?.[0]?.delta?.content
  if (typeof content === 'string' && content !== '') yield { kind: 'text', text: content }
  if (assay?.provisional !== false) return
  const warnings = Array.isArray(assay.warnings) ? assay.warnings.slice(0, 32).map(String) : []
  yield { kind: 'end', warnings }
}

/**
 * The parts of an answer. Whoever aborts the signal cancels the job (D140). Rejects with ChatError, also when the stream ends
 * before the answer does.
 */
export async function* askChat(request: Request): AsyncGenerator<Part> {
  const response = await fetch(`${request.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${request.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(request)),
    credentials: 'omit',
    signal: request.signal,
  })
  if (!response.ok || response.body === null) {
    const body = (await response.json().catch(() => ({}))) as Body
    throw new ChatError(
      response.status,
      messageOf(body, `the job API responded with ${response.status}`),
    )
  }
  for await (const { data } of readEvents(response.body)) {
    if (data === '[DONE]') return
    const body = JSON.parse(data) as Body
    if (body.error !== undefined) throw new ChatError(0, messageOf(body, 'the answer ended early'))
    for (const part of partsOf(body)) {
      yield part
      if (part.kind === 'end') return
    }
  }
  throw new ChatError(0, 'the connection was lost before the answer ended')
}
