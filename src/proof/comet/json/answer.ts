/** Reading answers of a consensus RPC that nothing is believed of. */
import type { z } from 'zod'
import { LightError } from '../light/errors.ts'

/**
 * Asks one method, for example over HTTP, and gives its JSON result. Rejects with RpcAnswerError when the server answers an
 * error; with whatever it likes when there is no answer.
 */
export type AskRpc = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

/** An error that the server answered; `data` is where CometBFT says what was wrong. */
export class RpcAnswerError extends Error {
  override readonly name = 'RpcAnswerError'
  readonly data: string

  constructor(message: string, data: string) {
    super(data === '' ? message : `${message}: ${data}`)
    this.data = data
  }
}

/** The answer in its schema. Throws LightError `malformed` with the first field that is wrong. */
export function readAnswer<T>(method: string, schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.join('.') ?? ''
  throw new LightError(
    'malformed',
    `${method}: ${field === '' ? 'the answer' : field}: ${issue?.message ?? 'is wrong'}`,
  )
}
