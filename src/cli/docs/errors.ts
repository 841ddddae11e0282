/** docs/errors.md: every error code. */
import { API_ERRORS } from '../../jobs/dispatcher/apiError.ts'
import { RPC_ERRORS } from '../../wire/errors.ts'
import { page, table } from './markdown.ts'

/** The page. */
export function errorsPage(): string {
  return page(
    'Errors',
    '## JSON-RPC',
    table(
      ['code', 'message', 'when, and what to do'],
      Object.values(RPC_ERRORS).map(({ code, message, help }) => [String(code), message, help]),
    ),
    '## Job API',
    'HTTP status and `code` are the same; the body is `{code, message, error, request_id, details?}`.',
    table(
      ['code', 'error', 'when, and what to do'],
      Object.entries(API_ERRORS).map(([code, { name, help }]) => [code, `\`${name}\``, help]),
    ),
  )
}
