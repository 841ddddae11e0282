/** The dispatcher's errors as its clients see them (D26). */

/** Every error by its HTTP status: the name in the body's `error`, and when it comes. docs/errors.md is made from this table. */
export const API_ERRORS = {
  400: {
    name: 'invalid_request',
    help: 'The body is malformed, or a field is missing or wrong: message and details name it.',
  },
  401: {
    name: 'unauthenticated',
    help: 'Send a live token of the project, in verify or as Authorization: Bearer (assay project create).',
  },
  403: {
    name: 'forbidden',
    help: 'The Host header is not served: use an IP address or localhost, or add the name to dispatcher.hosts.',
  },
  404: {
    name: 'not_found',
    help: 'No such path or job; or no operator serves the model and dispatcher.unknown-model is "refuse".',
  },
  409: {
    name: 'conflict',
    help: 'The job is in a state that does not allow it; the message names the state.',
  },
  413: { name: 'too_large', help: 'The body is larger than one MiB: shorten the prompt.' },
  415: { name: 'unsupported_media_type', help: 'Send the body as application/json.' },
  422: {
    name: 'idempotency_key_reused',
    help: 'The Idempotency-Key was used for another request of the project: take a new one.',
  },
  429: {
    name: 'rate_limited',
    help: 'Too many jobs in a minute or a day: try again after Retry-After seconds (assay project quota).',
  },
  500: {
    name: 'internal',
    help: 'A fault of the dispatcher; its log has the details under the request_id.',
  },
  503: { name: 'unavailable', help: 'The database is away: try again after Retry-After seconds.' },
} as const

/** HTTP statuses that errors have; each is also the `code` of the body. */
export type ErrorCode = keyof typeof API_ERRORS

/** A field that was wrong: where it stands in the body, and why. */
export type ErrorDetail = { readonly path: string; readonly message: string }

/** A refusal with its status. The message is for the caller: it never holds prompts, tokens or internals. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  /** Seconds after which the same request may go well. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: { readonly details?: readonly ErrorDetail[]; readonly retryAfter?: number } = {},
  ) {
    super(message)
    this.code = code
    this.details = more.details
    this.retryAfter = more.retryAfter
  }
}

export type ErrorBody = {
  readonly code: ErrorCode
  readonly message: string
  readonly error: (typeof API_ERRORS)[ErrorCode]['name']
  readonly request_id: string
  readonly details?: readonly ErrorDetail[]
}

/** The body of an error response. */
export function errorBody({ code, message, details }: ApiError, requestId: string): ErrorBody {
  const body = { code, message, error: API_ERRORS[code].name, request_id: requestId }
  return details === undefined ? body : { ...body, details }
}
