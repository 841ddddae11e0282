/** Errors in the form of OpenAI's API, for everything below /v1 (D63). */
import { z } from 'zod'
import type { ApiError, ErrorCode } from '../apiError.ts'

/** Paths whose errors have this form. */
export function isOpenaiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

/** Type and code of an error by its status, where the error does not have a code of its own. */
const FORMS: Readonly<Record<ErrorCode, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'forbidden'],
  404: ['invalid_request_error', 'not_found'],
  409: ['invalid_request_error', 'conflict'],
  413: ['invalid_request_error', 'too_large'],
  415: ['invalid_request_error', 'unsupported_media_type'],
  422: ['invalid_request_error', 'idempotency_key_reused'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
  500: ['server_error', null],
  502: ['server_error', 'job_failed'],
  503: ['server_error', 'unavailable'],
  504: ['server_error', 'job_expired'],
}

/** Body of every error below /v1. */
export const openaiFailure = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().describe('The member of the request that is the cause.'),
      code: z.string().nullable(),
    }),
  })
  .describe('Error in the form of OpenAI.')

/** The body of an error response, and of an error within a stream. */
export function openaiErrorBody(error: ApiError): z.infer<typeof openaiFailure> {
  const [type, usual] = FORMS[error.code]
  const param = error.param ?? error.details?.[0]?.path ?? null
  return { error: { message: error.message, type, param, code: error.reason ?? usual } }
}
