/** Which web pages may talk to the server: a browser must not be led here under a foreign name (D50). */
import { createHostGuard, createOriginGuard } from '../../base/hosts.ts'
import type { CometLimits } from './limits.ts'

export type Access = {
  /** Whether requests with a Host header are served. */
  isHostAllowed(host: string | undefined): boolean
  /** Whether a page of this origin may read responses. */
  isOriginAllowed(origin: string): boolean
  /** Whether a page may open a WebSocket: programs send no Origin, and a page of this very server is trusted. */
  mayOpenWebSocket(origin: string | undefined, host: string | undefined): boolean
}

/** The guards of a server. */
export function createAccess({ hosts, origins }: Pick<CometLimits, 'hosts' | 'origins'>): Access {
  const isOriginAllowed = createOriginGuard(origins)
  return {
    isHostAllowed: createHostGuard(hosts),
    isOriginAllowed,
    mayOpenWebSocket(origin, host) {
      if (origin === undefined || isOriginAllowed(origin)) return true
      return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
    },
  }
}
