/** JSON-RPC over HTTP to an untrusted server: bounded in time and size, and no redirects. */
import { messageOf } from '../../base/errors.ts'
import { parseBounded } from '../../base/jsonBudget.ts'
import { RpcAnswerError } from '../../proof/comet/json/answer.ts'

// The largest block has 22 MB, and is twice as long in base64 with its events.
const MAX_ANSWER_BYTES = 67_108_864
const ANSWER_MS = 15_000
// Logs of many blocks are many values, and nobody waits behind them.
const ANSWER_LIMITS = { bytes: MAX_ANSWER_BYTES, depth: 64, values: 2_000_000 }

/** Timeout and maximum size. */
export type CallLimits = {
  /** Aborts everything. */
  readonly deadline: AbortSignal
  readonly answerMs?: number
  readonly answerBytes?: number
}

/** The server did not give a valid response. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

async function readBounded(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  if (response.body === null) return text
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > limit) throw new Error(`its response is larger than ${limit} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function resultOf(answer: unknown): unknown {
  if (!isRecord(answer)) throw new Error('its response is not JSON-RPC')
  const { error } = answer
  if (isRecord(error)) {
    const message = typeof error['message'] === 'string' ? error['message'] : 'an error'
    const data = typeof error['data'] === 'string' ? error['data'] : ''
    throw new RpcAnswerError(message.slice(0, 500), data.slice(0, 500))
  }
  return answer['result']
}

// fetch hides what happened ("fetch failed") in its cause.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error)
  if (error.name === 'TimeoutError') return 'it did not respond in time'
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

/**
 * Calls a method of the server at a URL; rejects with RpcAnswerError or ServerError, which names the server as `label`.
 */
export function jsonRpcCaller(url: URL, label: string, limits: CallLimits) {
  const { deadline, answerMs = ANSWER_MS, answerBytes = MAX_ANSWER_BYTES } = limits
  return async (method: string, params: unknown): Promise<unknown> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        redirect: 'error',
        signal: AbortSignal.any([deadline, AbortSignal.timeout(answerMs)]),
      })
      return resultOf(parseBounded(await readBounded(response, answerBytes), ANSWER_LIMITS))
    } catch (error) {
      if (error instanceof RpcAnswerError) throw error
      const where = `${label} at ${url.host}`
      throw new ServerError(`${where}: ${method}: ${reasonOf(error)}`, { cause: error })
    }
  }
}
