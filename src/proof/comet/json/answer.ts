/** Reads responses of an untrusted consensus RPC. */
import type { z } from 'zod'
import { LightError } from '../light/errors.ts'

/**
 * Calls one method, for example over HTTP, and resolves with its JSON result. Rejects with RpcAnswerError if the server
 * returns an error; with any other error if there is no response.
 */
export type AskRpc = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

/** An error returned by the server; in `data` CometBFT describes what was wrong. */
export class RpcAnswerError extends Error {
  override readonly name = 'RpcAnswerError'
  readonly data: string

  constructor(message: string, data: string) {
    super(data === '' ? message : `${message}: ${data}`)
    this.data = data
  }
}

/** Parses the response by its schema. Throws LightError `malformed` with the first field that is wrong. */
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
