/** Which pages may talk to the server: a browser must not be led here under a foreign name (D50). */
import { isIP } from 'node:net'
import type { CometLimits } from './limits.ts'

/** The host of a Host header, without port and brackets. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(host)
  return (bracketed?.[1] ?? host.replace(/:\d*$/, '')).toLowerCase()
}

/** Whether a request may be addressed to this host. HTTP/1.0 clients send none. */
export function isAllowedHost(
  host: string | undefined,
  { hosts }: Pick<CometLimits, 'hosts'>,
): boolean {
  if (host === undefined) return true
  const name = hostName(host)
  return isIP(name) !== 0 || name === 'localhost' || hosts.includes(name)
}

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
