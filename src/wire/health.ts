/** The answers to /healthz and /readyz, by which a load balancer decides which node gets requests (D94). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendText } from './httpAnswer.ts'

/** The state of what is served. It must be cheap to tell, and fit for strangers. */
export type Health = {
  /** Why clients should not be sent here, in words; none when it is ready. */
  readonly reasons: readonly string[]
  /** What the answers say besides. */
  readonly details: Readonly<Record<string, number | boolean>>
}

const METHODS = ['GET', 'HEAD']

type Check = 'healthz' | 'readyz'

/** The check that a URL names. */
export function healthCheckOf(url: string | undefined): Check | undefined {
  const path = (url ?? '').split('?', 1)[0]
  return path === '/healthz' ? 'healthz' : path === '/readyz' ? 'readyz' : undefined
}

/**
 * Answers a check: /healthz with 200 as long as the process answers at all, /readyz with 503 and the reasons when
 * clients should go elsewhere.
 */
export function sendHealth(
  request: IncomingMessage,
  response: ServerResponse,
  check: Check,
  { reasons, details }: Health,
): void {
  if (!METHODS.includes(request.method ?? '')) {
    response.setHeader('allow', METHODS.join(', '))
    sendText(response, 405, 'method not allowed')
    return
  }
  const isFailed = check === 'readyz' && reasons.length > 0
  const status = check === 'healthz' ? 'ok' : isFailed ? 'not ready' : 'ready'
  const text = JSON.stringify({ status, ...details, ...(isFailed && { reasons }) })
  response.writeHead(isFailed ? 503 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}
