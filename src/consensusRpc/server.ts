/**
 * The consensus-engine RPC of the embedded engine: URI, JSON-RPC and WebSocket at one address (interface.md,
 * "Consensus-engine RPC").
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { closeServer, listenAll, type ListenAddress } from '../base/listen.ts'
import type { Log } from '../base/log.ts'
import { limitConnections } from '../base/fairConnections.ts'
import { httpTimeouts } from '../base/httpTimeouts.ts'
import { openCometSubscriptions } from '../events/cometSubscriptions.ts'
import { createAccess } from './transport/access.ts'
import { handleHttp, remoteOf, splitTarget } from './transport/http.ts'
import { type CometLimits, DEFAULT_COMET_LIMITS } from './transport/limits.ts'
import { serveWebSocket } from './transport/websocket.ts'
import { cometTable, unsafeCometTable } from './table.ts'
import type { CometServices, CometWorld } from './world.ts'

/** Same limit as Go's HTTP server: a whole transaction fits into the URI of broadcast_tx_sync. */
const MAX_HEADER_BYTES = 1024 * 1024

/** How long a stopping server waits for responses in progress. */
const CLOSE_GRACE_MS = 1000

export type CometRpcOptions = {
  /** Where to listen (rpc.laddr); port 0 picks a free one. */
  readonly address: ListenAddress
  readonly world: CometWorld
  readonly log: Log
  /** Stops the server. */
  readonly signal: AbortSignal
  readonly limits?: Partial<CometLimits>
  /** Also serves the endpoints for operators. */
  readonly unsafe?: boolean
}

export type CometRpc = {
  /** With the actual port. */
  readonly address: ListenAddress
  /** Resolves when every connection is closed. */
  close(): Promise<void>
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Starts the server. Throws UserError when the address is taken or not allowed. */
export async function startCometRpc(options: CometRpcOptions): Promise<CometRpc> {
  const { world, log, signal } = options
  const limits: CometLimits = { ...DEFAULT_COMET_LIMITS, ...options.limits }
  const stopping = new AbortController()
  const subscriptions = openCometSubscriptions(
    world.bus,
    world.reader,
    { maxClients: limits.maxSubscriptionClients, maxPerClient: limits.maxSubscriptionsPerClient },
    stopping.signal,
  )
  const services: CometServices = {
    ...world,
    subscriptions,
    commitTimeoutMs: limits.commitTimeoutMs,
  }
  const table = options.unsafe === true ? unsafeCometTable : cometTable
  const access = createAccess(limits)
  const context = { services, table, log, limits, access }

  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxBodyBytes,
    perMessageDeflate: false,
  })
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { host, origin } = request.headers
    socket.on('error', () => socket.destroy())
    if (splitTarget(request.url ?? '').path !== '/websocket') {
      refuseUpgrade(socket, '404 Not Found')
    } else if (!access.isHostAllowed(host) || !access.mayOpenWebSocket(origin, host)) {
      refuseUpgrade(socket, '403 Forbidden')
    } else {
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        serveWebSocket(context, webSocket, remoteOf(request)),
      )
    }
  }
  const makeServer = (): Server => {
    const server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        ...httpTimeouts({
          requestTimeout: limits.readTimeoutMs,
          headersTimeout: limits.readTimeoutMs,
          keepAliveTimeout: limits.readTimeoutMs,
        }),
      },
      (request, response) => void handleHttp(context, request, response),
    )
    limitConnections(server, limits.maxConnections)
    server.on('upgrade', upgrade)
    return server
  }

  const { servers, port } = await listenAll(
    makeServer,
    options.address,
    '--rpc.laddr tcp://host:port',
  )
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= closeAll()
    return closed
  }
  const closeAll = async (): Promise<void> => {
    stopping.abort()
    const ends = servers.map((server) => closeServer(server, CLOSE_GRACE_MS))
    for (const webSocket of sockets.clients) webSocket.close(1001)
    // The HTTP server no longer counts a WebSocket as a connection, so it is dropped separately.
    const force = setTimeout(() => {
      for (const webSocket of sockets.clients) webSocket.terminate()
    }, CLOSE_GRACE_MS)
    await Promise.all(ends)
    clearTimeout(force)
  }
  if (signal.aborted) await close()
  else signal.addEventListener('abort', () => void close(), { once: true })
  return { address: { host: options.address.host, port }, close }
}
