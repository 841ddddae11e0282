/**
 * Renders chat templates: each in a thread of its own, with limits of time, memory and output. The same template, messages
 * and time give the same text for ever (D120).
 */
import { Worker } from 'node:worker_threads'
import { messageOf } from '../../base/errors.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import { InferenceError } from '../errors.ts'
import type { RenderAnswer, RenderRequest } from './messages.ts'

/** Names the renderer and its version; part of every statement about a rendered prompt. "+1": texts are stripped as in Python. */
export const RENDERER = 'jinja/0.5.11+1'

/** What one rendering may take. */
export type RenderLimits = {
  readonly milliseconds: number
  readonly megabytes: number
  readonly characters: number
}

const LIMITS: RenderLimits = { milliseconds: 30_000, megabytes: 128, characters: 4_000_000 }

/**
 * The text of a conversation. Rejects with InferenceError `unsupported-model` when the template fails or exceeds a limit, and
 * with the signal's reason.
 */
export async function renderTemplate(
  request: RenderRequest,
  signal: AbortSignal,
  limits: RenderLimits = LIMITS,
): Promise<string> {
  signal.throwIfAborted()
  const worker = new Worker(moduleFile(new URL('./renderThread', import.meta.url)), {
    workerData: request,
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 16 },
  })
  let stop: (reason: unknown) => void = () => undefined
  const onAbort = (): void => stop(signal.reason)
  const timer = setTimeout(
    () => stop(failed(`it takes longer than ${limits.milliseconds / 1000} s`)),
    limits.milliseconds,
  )
  signal.addEventListener('abort', onAbort)
  try {
    const answer = await new Promise<RenderAnswer>((resolve, reject) => {
      stop = reject
      worker.once('message', resolve)
      worker.once('error', (error) => reject(failed(messageOf(error))))
      worker.once('exit', () => reject(failed('its thread ended')))
    })
    if ('reason' in answer) throw failed(answer.reason)
    if (answer.text.length > limits.characters)
      throw failed(`it makes more than ${limits.characters} characters`)
    return answer.text
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

function failed(reason: string): InferenceError {
  return new InferenceError(
    'unsupported-model',
    `the chat template of the model cannot be used: ${reason}; submit the prompt with params.raw = true to run it without`,
  )
}
