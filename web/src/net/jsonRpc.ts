/** JSON-RPC over HTTP: to the Ethereum JSON-RPC and to the consensus RPC. */

/** An error response of the server. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The server could not be reached, or its response was invalid. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/**
 * Calls one method. Rejects with RpcError or NetworkError. The result is not validated: callers check what they use.
 */
export type Ask = (method: string, params?: unknown) => Promise<unknown>

type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown }
}

const TIMEOUT_MS = 20_000

async function post(url: string, body: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return await response.json()
  } catch (error) {
    throw new NetworkError(`${new URL(url).host} does not respond`, { cause: error })
  }
}

function resultOf(answer: Answer | undefined): unknown {
  if (answer?.error !== undefined && answer.error !== null) {
    const { code = 0, message = 'an error without a message', data } = answer.error
    // CometBFT says what was wrong in its data.
    const detail = typeof data === 'string' && !data.startsWith('0x') ? `: ${data}` : ''
    throw new RpcError(code, `${message}${detail}`, data)
  }
  if (answer === undefined || !('result' in answer))
    throw new NetworkError('the response is not JSON-RPC')
  return answer.result
}

/** A caller of the server at a URL. */
export function caller(url: string): Ask {
  let id = 0
  return async (method, params = []) =>
    resultOf((await post(url, { jsonrpc: '2.0', id: ++id, method, params })) as Answer)
}

/** CometBFT refuses larger batches. */
const BATCH = 10

/** Calls one method with many lists of parameters, in batches; returns results in that order. */
export async function askMany(
  url: string,
  method: string,
  list: readonly unknown[],
): Promise<readonly unknown[]> {
  const batches = Array.from({ length: Math.ceil(list.length / BATCH) }, (_, at) =>
    askBatch(url, method, list.slice(at * BATCH, (at + 1) * BATCH)),
  )
  return (await Promise.all(batches)).flat()
}

async function askBatch(
  url: string,
  method: string,
  list: readonly unknown[],
): Promise<readonly unknown[]> {
  const body = list.map((params, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answered = await post(url, body)
  // CometBFT answers a batch of one without a list.
  const answers = body.length === 1 && !Array.isArray(answered) ? [answered] : answered
  if (!Array.isArray(answers)) throw new NetworkError('the response is not a JSON-RPC batch')
  const byId = new Map((answers as Answer[]).map((answer) => [answer.id, answer]))
  return body.map(({ id }) => resultOf(byId.get(id)))
}
