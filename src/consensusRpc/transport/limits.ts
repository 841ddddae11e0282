/** Limits of the consensus RPC, with CometBFT's defaults. */

export type CometLimits = {
  /** Maximum number of open connections, over all addresses. */
  readonly maxConnections: number
  /** Maximum size of a body and of a WebSocket message, in bytes. */
  readonly maxBodyBytes: number
  readonly maxBatch: number
  /** Maximum time for a request to arrive. */
  readonly readTimeoutMs: number
  /** Maximum time for a WebSocket to accept what was written. */
  readonly writeTimeoutMs: number
  readonly maxSubscriptionClients: number
  readonly maxSubscriptionsPerClient: number
  /** Maximum number of events of one subscription queued for a slow reader. */
  readonly subscriptionBuffer: number
  /** Maximum number of bytes queued for a slow reader, over all its subscriptions. */
  readonly socketBufferBytes: number
  readonly pingIntervalMs: number
  /** A WebSocket that sends nothing, not even a pong, for this long is closed. */
  readonly silenceMs: number
  readonly commitTimeoutMs: number
  /** Host names that requests may address, in addition to IP addresses and localhost (D50). */
  readonly hosts: readonly string[]
  /** Web origins that may read responses and open WebSockets; "*" is any. */
  readonly origins: readonly string[]
}

/** CometBFT's defaults; the node provides `hosts` and `origins`. */
export const DEFAULT_COMET_LIMITS: CometLimits = {
  maxConnections: 900,
  maxBodyBytes: 1_000_000,
  maxBatch: 10,
  readTimeoutMs: 10_000,
  writeTimeoutMs: 10_000,
  maxSubscriptionClients: 100,
  maxSubscriptionsPerClient: 5,
  subscriptionBuffer: 200,
  socketBufferBytes: 64 * 1024 * 1024,
  pingIntervalMs: 27_000,
  silenceMs: 30_000,
  commitTimeoutMs: 10_000,
  hosts: [],
  origins: [],
}
