/** The dispatcher's errors as its clients see them (D26). */

/** What an error of each status is called in the body's `error`. */
export const ERROR_SLUGS = {
  400: 'invalid_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  415: 'unsupported_media_type',
  500: 'internal',
  503: 'unavailable',
} as const

/** HTTP statuses that errors have; each is also the `code` of the body. */
export type ErrorCode = keyof typeof ERROR_SLUGS

/** A field that was wrong: where it stands in the body, and why. */
export type ErrorDetail = { readonly path: string; readonly message: string }

/** A refusal with its status. The message is for the caller: it never holds prompts, tokens or internals. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined

  constructor(code: ErrorCode, message: string, details?: readonly ErrorDetail[]) {
    super(message)
    this.code = code
    this.details = details
  }
}

export type ErrorBody = {
  readonly code: ErrorCode
  readonly message: string
  readonly error: (typeof ERROR_SLUGS)[ErrorCode]
  readonly request_id: string
  readonly details?: readonly ErrorDetail[]
}

/** The body of an error response. */
export function errorBody({ code, message, details }: ApiError, requestId: string): ErrorBody {
  const body = { code, message, error: ERROR_SLUGS[code], request_id: requestId }
  return details === undefined ? body : { ...body, details }
}
