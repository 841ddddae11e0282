/**
 * Answers of a server that speaks OpenAI's API (vLLM, SGLang, llama-server, Ollama; D142). The worker sees neither the model's
 * file nor the tokens, so its statements say so: the engine names the server's word for the model, the hash of the file is zeros,
 * and numbers of tokens are the server's.
 */
import { z } from 'zod'
import { createStopFilter } from '../../../inference/stopTexts.ts'
import { InferenceError } from '../../../inference/errors.ts'
import { toHex, type Hex } from '../../../base/hex.ts'
import type { AnswerEngine, AnswerModels } from '../../answer.ts'
import { backendClient } from './client.ts'
import { readApiKey, type BackendOptions } from './options.ts'

/** Names the way an answer was made, and its version. */
const ENGINE = 'openai-api/1'
/** A template is applied by the server, if it has one. */
const RENDERER = `${ENGINE} server`
/** More tokens than any context has are not asked for: "until the end of the context". */
const NO_MAXIMUM = 1_048_576
const UNKNOWN = toHex(new Uint8Array(32))
const MAX_OUTPUT = 16 * 1024 * 1024

const listed = z.object({ data: z.array(z.object({ id: z.string().max(256) })).max(1024) })
const part = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        text: z.string().nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .max(1)
    .default([]),
  usage: z
    .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
    .partial()
    .nullish(),
})

/** A model of the server: by which name jobs ask for it, and the server's own. */
type RemoteModel = {
  readonly name: string
  readonly remote: string
  /** Zeros: the file is not known. */
  readonly sha256: Hex
}

export type Backend = {
  readonly engine: AnswerEngine<RemoteModel>
  readonly models: AnswerModels<RemoteModel>
}

/** What servers send when a generation fails on the way. */
function isError(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'error' in event && event.error !== null
}

/** Opens the back end. Throws UserError where the key's file is not as it should be. */
export function openBackend(options: BackendOptions): Backend {
  const key = options.keyFile === undefined ? undefined : readApiKey(options.keyFile)
  const client = backendClient(options.url, key)
  const { models: named } = options
  const list = async (signal: AbortSignal): Promise<readonly string[]> => {
    if (named.size > 0) return [...named.keys()]
    const parsed = listed.safeParse(await client.get('models', signal))
    if (!parsed.success)
      throw new InferenceError('engine-unavailable', 'the server lists no models')
    return parsed.data.data.map(({ id }) => id)
  }
  return {
    models: {
      list: () => list(AbortSignal.timeout(5000)),
      async open(name) {
        const remote = named.size === 0 ? name : named.get(name)
        if (remote === undefined)
          throw new InferenceError('unknown-model', `there is no model "${name}"`)
        return { name, remote, sha256: UNKNOWN }
      },
    },
    engine: {
      id: ENGINE,
      idOf: ({ remote }) => `${ENGINE} ${remote.replaceAll(/[^\x20-\x7e]/g, '?')}`.slice(0, 128),
      async generate({ model, signal, onText = () => undefined, stop = [], ...request }) {
        const isRaw = request.raw === true
        const messages = request.messages ?? [{ role: 'user', content: request.prompt }]
        const body = {
          model: model.remote,
          ...(isRaw ? { prompt: request.prompt } : { messages }),
          temperature: request.temperature,
          top_p: request.topP,
          // Servers take numbers of 32 bits.
          seed: Number(BigInt.asUintN(31, request.seed)),
          ...(request.maxTokens < NO_MAXIMUM && { max_tokens: request.maxTokens }),
          ...(stop.length > 0 && { stop }),
          stream: true,
          stream_options: { include_usage: true },
        }
        const filter = createStopFilter(stop)
        const made = { output: '', parts: 0, finish: 'stop', tokens: 0, promptTokens: 0 }
        const emit = (text: string): void => {
          made.output += text
          if (text !== '') onText(text)
        }
        const path = isRaw ? 'completions' : 'chat/completions'
        for await (const event of client.stream(path, body, signal)) {
          const parsed = part.safeParse(event)
          if (!parsed.success || isError(event))
            throw new InferenceError('engine-failed', 'the server broke off the answer')
          const { choices, usage } = parsed.data
          const [choice] = choices
          const text = choice?.delta?.content ?? choice?.text ?? ''
          if (text !== '') made.parts++
          emit(filter.push(text))
          if (choice?.finish_reason != null) made.finish = choice.finish_reason
          made.tokens = usage?.completion_tokens ?? made.tokens
          made.promptTokens = usage?.prompt_tokens ?? made.promptTokens
          if (made.output.length > MAX_OUTPUT)
            throw new InferenceError('engine-failed', 'the answer of the server is too long')
        }
        emit(filter.end())
        return {
          output: made.output,
          // Some servers send no usage; each part is a token then.
          tokens: made.tokens === 0 ? made.parts : made.tokens,
          promptTokens: made.promptTokens,
          finishReason: made.finish === 'length' && !filter.hasEnded ? 'length' : 'stop',
          ...(!isRaw && { form: { renderer: RENDERER } }),
        }
      },
    },
  }
}
