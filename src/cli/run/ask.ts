/** Asks a dispatcher by the API that AI clients speak (D63), and hands on the text as it comes. */
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import type { Client } from '../job/client.ts'
import { eventBlocks } from '../job/eventBlocks.ts'

/** "Until the end of the context": more tokens than any has. */
const NO_MAXIMUM = 1_048_576

export type Question = {
  readonly model: string
  readonly prompt: string
  readonly temperature: number
  /** Undefined: until the context ends. */
  readonly maxTokens: number | undefined
  /** Whether the model reads the prompt as it is, without its chat template. */
  readonly raw: boolean
}

export type Said = {
  readonly jobId: string
  readonly text: string
}

const failure = z.object({ error: z.object({ message: z.string() }) })
const part = z.object({
  choices: z.array(
    z.object({
      text: z.string().exactOptional(),
      delta: z.object({ content: z.string().exactOptional() }).exactOptional(),
    }),
  ),
})

/** The body of a submission that asks the same: what `ask` submits is that job. */
export function submissionOf(question: Question, project: string): object {
  const { model, prompt, temperature, maxTokens = NO_MAXIMUM, raw } = question
  const sampling = { temperature, top_p: 1, max_tokens: maxTokens, stream: true }
  const job = raw
    ? { prompt, params: { ...sampling, raw } }
    : { messages: [{ role: 'user', content: prompt }], params: sampling }
  return { from: project, verify: '', user: '', job: { tag: 'opml', model, ...job } }
}

function bodyOf({ model, prompt, temperature, maxTokens = NO_MAXIMUM, raw }: Question): object {
  const said = raw ? { prompt } : { messages: [{ role: 'user', content: prompt }] }
  return {
    model,
    ...said,
    temperature,
    max_tokens: maxTokens,
    stream: true,
    assay: { type: 'opml' },
  }
}

async function open({ url, token }: Client, question: Question): Promise<Response> {
  const path = question.raw ? '/v1/completions' : '/v1/chat/completions'
  try {
    return await fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token ?? ''}` },
      body: JSON.stringify(bodyOf(question)),
    })
  } catch (error) {
    throw new UserError(`the dispatcher at ${url} does not respond: ${messageOf(error)}`)
  }
}

function refusal(status: number, body: string): UserError {
  try {
    return new UserError(failure.parse(JSON.parse(body)).error.message)
  } catch {
    return new UserError(`the dispatcher responded with ${status}`)
  }
}

/** Resolves when the answer is recorded. Rejects with UserError when the dispatcher refuses, or the stream ends before. */
export async function ask(
  client: Client,
  question: Question,
  onText: (text: string) => void,
): Promise<Said> {
  const response = await open(client, question)
  if (!response.ok || response.body === null) throw refusal(response.status, await response.text())
  let text = ''
  for await (const event of eventBlocks(response.body as AsyncIterable<Uint8Array>)) {
    const [, data] = /^data: (.*)$/.exec(event) ?? []
    if (data === undefined) continue
    const jobId = response.headers.get('x-assay-job') ?? ''
    if (data === '[DONE]') return { jobId, text }
    const parsed = part.safeParse(JSON.parse(data))
    if (!parsed.success) throw refusal(response.status, data)
    const [choice] = parsed.data.choices
    const more = choice?.text ?? choice?.delta?.content ?? ''
    text += more
    if (more !== '') onText(more)
  }
  throw new UserError('the answer ended before it was complete', 'Ask again.')
}
