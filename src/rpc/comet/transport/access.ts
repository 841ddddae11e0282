/** Which pages may talk to the server: a browser must not be led here under a foreign name (D50). */
import type { CometLimits } from './limits.ts'

/** The value of Access-Control-Allow-Origin for a request's Origin, or undefined when the page may not read. */
export function allowedOrigin(
  origin: string | undefined,
  { origins }: Pick<CometLimits, 'origins'>,
): string | undefined {
  if (origin === undefined) return undefined
  return origins.includes('*') || origins.includes(origin) ? origin : undefined
}

/** Whether a page may open a WebSocket: programs send no Origin, and a page of this very server is no stranger. */
export function mayOpenWebSocket(
  origin: string | undefined,
  host: string | undefined,
  limits: Pick<CometLimits, 'origins'>,
): boolean {
  if (origin === undefined || allowedOrigin(origin, limits) !== undefined) return true
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}
