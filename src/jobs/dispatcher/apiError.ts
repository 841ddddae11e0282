/** The dispatcher's errors as its clients see them (D26). */

/**
 * Every error by its HTTP status: the name in the body's `error`, and when it occurs. docs/errors.md is generated from
 * this table.
 */
export const API_ERRORS = {
  400: {
    name: 'invalid_request',
    help: 'The body is malformed, or a field is missing or invalid; message and details name it.',
  },
  401: {
    name: 'unauthenticated',
    help: 'Send a valid token of the project, in verify or as Authorization: Bearer (assay project create).',
  },
  403: {
    name: 'forbidden',
    help: 'The Host header is not accepted: use an IP address or localhost, or add the name to dispatcher.hosts.',
  },
  404: {
    name: 'not_found',
    help: 'No such path or job, or no connected operator serves the model and dispatcher.unknown-model is "refuse".',
  },
  409: {
    name: 'conflict',
    help: 'The state of the job does not allow this; the message names the state.',
  },
  413: { name: 'too_large', help: 'The body is larger than 1 MiB: shorten the prompt.' },
  415: { name: 'unsupported_media_type', help: 'Send the body as application/json.' },
  422: {
    name: 'idempotency_key_reused',
    help: 'The Idempotency-Key was used for a different request of the project: use a new one.',
  },
  429: {
    name: 'rate_limited',
    help: 'Too many jobs in a minute or a day: retry after Retry-After seconds (assay project quota).',
  },
  500: {
    name: 'internal',
    help: 'A fault in the dispatcher; its log has the details under the request_id.',
  },
  502: {
    name: 'job_failed',
    help: 'The operators could not do the job, or their answers differ; the message says why (/v1 only).',
  },
  503: {
    name: 'unavailable',
    help: 'The database or the archive is unavailable: retry after Retry-After seconds.',
  },
  504: {
    name: 'job_expired',
    help: 'No operator finished the job before its deadline; the message has the last reason (/v1 only).',
  },
} as const

/** HTTP statuses of errors; each is also the `code` in the body. */
export type ErrorCode = keyof typeof API_ERRORS

/** An invalid field: its path in the body, and why it is invalid. */
export type ErrorDetail = { readonly path: string; readonly message: string }

/** A refusal with its status. The message is for the caller: it never contains prompts, tokens or internals. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined
  /** The member of the request that is the cause, and a name of the cause, as OpenAI's API has them. */
  readonly param: string | undefined
  readonly reason: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      readonly details?: readonly ErrorDetail[]
      readonly retryAfter?: number
      readonly param?: string
      readonly reason?: string
    } = {},
  ) {
    super(message)
    this.code = code
    this.details = more.details
    this.retryAfter = more.retryAfter
    this.param = more.param
    this.reason = more.reason
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
