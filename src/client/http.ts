/** Requests over HTTP, using fetch. */
import { RequestError, requestText, resultOf, type Answer, type Transport } from './request.ts'

export type HttpOptions = {
  /** Sent with every request, for example `authorization: Bearer <token>`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

function answerOf(text: string, status: number): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new RequestError(-32_700, `the server answered ${status} and no JSON`)
  }
}

/** A transport over HTTP POST. */
export function http(url: string, options: HttpOptions = {}): Transport {
  const { headers, fetch = globalThis.fetch } = options
  let lastId = 0
  return {
    async request(method, params) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: requestText(++lastId, method, params),
      })
      return resultOf(answerOf(await response.text(), response.status))
    },
  }
}
