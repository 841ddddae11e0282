/** Timeouts of an HTTP server that hold. */
import type { ServerOptions } from 'node:http'

const LONGEST_INTERVAL_MS = 1_000

/** In milliseconds, as node:http names them. Node requires that `headersTimeout` does not exceed `requestTimeout`. */
export type HttpTimeouts = {
  readonly headersTimeout: number
  readonly requestTimeout?: number
  readonly keepAliveTimeout?: number
}

/**
 * Options for `http.createServer`. Unless it is told otherwise, node:http looks for slow clients every 30 seconds only: a
 * half-open connection with a timeout of 10 seconds would stay for up to 40.
 */
export function httpTimeouts(timeouts: HttpTimeouts): ServerOptions {
  const { headersTimeout } = timeouts
  return {
    ...timeouts,
    connectionsCheckingInterval: Math.min(LONGEST_INTERVAL_MS, headersTimeout),
  }
}
