/** Requests to the routes of the job API, with the errors of the API and retries where the server asks for them. */
import { readJson } from './boundedBody.ts'
import { ROUTES, type ApiError, type Routes } from './jobRoutes.ts'

/** An error response. `code` is its HTTP status, `error` its stable name (docs/errors.md). */
export class JobApiError extends Error {
  override readonly name = 'JobApiError'
  readonly code: number
  readonly error: string
  readonly requestId: string | undefined
  readonly details: ApiError['details']

  constructor(code: number, body: Partial<ApiError>) {
    super(body.message ?? `the dispatcher answered with HTTP status ${code}`)
    this.code = code
    this.error = body.error ?? 'unknown'
    this.requestId = body.request_id
    this.details = body.details
  }
}

export type JobsOptions = {
  /** Address of the dispatcher. */
  readonly url: string
  /** API token of the project; sent as a bearer token, never in a URL or body. */
  readonly token?: string
  /** The `fetch` to use; by default that of the platform. */
  readonly fetch?: typeof fetch
  /** Maximum number of repetitions of a request that the server could not serve now (429, 503). Default 3. */
  readonly retries?: number
}

export type RequestOptions<Name extends keyof Routes = keyof Routes> = {
  readonly headers?: Routes[Name]['headers']
  readonly signal?: AbortSignal
}

/** Sends a request to a path. Resolves with any response, after the repetitions that it asks for. */
export type Send = (
  path: string,
  init: {
    readonly method: string
    readonly body?: string
    readonly signal?: AbortSignal | undefined
  },
  headers?: Readonly<Record<string, string | undefined>>,
) => Promise<Response>

const DEFAULT_RETRIES = 3
const DEFAULT_WAIT_S = 1
const MAX_WAIT_S = 60
const SECOND_MS = 1000
/** Maximum size of the body of an error, in bytes. */
const MAX_ERROR = 1_000_000

/** Waits. Rejects with the signal's reason when it is aborted first. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function waitMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? DEFAULT_WAIT_S)
  return (
    Math.min(Number.isFinite(seconds) ? Math.max(seconds, 0) : DEFAULT_WAIT_S, MAX_WAIT_S) *
    SECOND_MS
  )
}

/** Requests with the token to a dispatcher. */
export function createSend({
  url,
  token,
  fetch: own,
  retries = DEFAULT_RETRIES,
}: JobsOptions): Send {
  const base = url.replace(/\/+$/, '')
  return async (path, { method, body, signal }, headers = {}) => {
    const sent = new Headers()
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) sent.set(name, value)
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`)
    if (body !== undefined) sent.set('content-type', 'application/json')
    for (let left = retries; ; left--) {
      const response = await (own ?? fetch)(base + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      })
      if ((response.status !== 429 && response.status !== 503) || left <= 0) return response
      await response.body?.cancel()
      await pause(waitMs(response), signal)
    }
  }
}

/** The error of a response. */
export async function errorOf(response: Response): Promise<JobApiError> {
  const body: unknown = await readJson(response, MAX_ERROR).catch(() => ({}))
  return new JobApiError(response.status, body ?? {})
}

/** The path and body of a route with an input. Throws TypeError where a part of the path is missing. */
function addressed(name: keyof Routes, input: Readonly<Record<string, unknown>>) {
  const { method, path, query } = ROUTES[name]
  const rest = new Map(Object.entries(input))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = rest.get(key)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${key}`)
    rest.delete(key)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const key of query) {
    const value = rest.get(key)
    if (typeof value === 'string') search.set(key, value)
    else if (value !== undefined) search.set(key, JSON.stringify(value))
    rest.delete(key)
  }
  const address = search.size === 0 ? filled : `${filled}?${search.toString()}`
  return method === 'GET'
    ? { method, address }
    : { method, address, body: JSON.stringify(Object.fromEntries(rest)) }
}

/** Calls a route. Rejects with JobApiError for errors of the API. */
export async function callRoute<Name extends keyof Routes>(
  send: Send,
  name: Name,
  input: Routes[Name]['input'],
  { headers = {}, signal }: RequestOptions<Name> = {},
): Promise<Routes[Name]['answer']> {
  const { address, ...init } = addressed(name, input)
  const response = await send(address, { ...init, signal }, headers)
  if (!response.ok) throw await errorOf(response)
  return (await readJson(response)) as Routes[Name]['answer']
}
