/** Everything that serves JSON-RPC, as one part of a node: HTTP, WebSocket and IPC over one table of methods. */
import type { Server as HttpServer } from 'node:http'
import { UserError } from '../base/errors.ts'
import { isLoopback } from '../base/hosts.ts'
import { closeServer, formatAddress, listenAll, type ListenAddress } from '../base/listen.ts'
import type { Log } from '../base/log.ts'
import type { AccessPolicy } from './auth.ts'
import { PRIVATE_NAMESPACES } from './authority.ts'
import { createDispatch, type CallObserver, type MethodTable } from './dispatch.ts'
import type { Health } from './health.ts'
import { createHttpServer } from './http.ts'
import { startIpc } from './ipc.ts'
import type { BlockProfile } from './method.ts'
import { createWebSocketServer, type WebSocketListener } from './websocket.ts'

export type JsonRpcOptions<World> = {
  readonly table: MethodTable<World>
  readonly world: World
  readonly address: ListenAddress
  readonly wsAddress: ListenAddress
  /** Path of the Unix socket; undefined for none. It serves every namespace. */
  readonly ipcPath: string | undefined
  /** Namespaces that are served over HTTP and WebSocket. */
  readonly namespaces: readonly string[]
  /** Block profile of the plain addresses. */
  readonly blockProfile: BlockProfile
  /** The secret of tokens (loadTokenSecret). */
  readonly secret: Uint8Array
  /** `open` needs no token for private methods; only where every address is loopback (D13). */
  readonly privateAccess: 'token' | 'open'
  /** Serves private namespaces at addresses that are not loopback. */
  readonly privateRemote: boolean
  readonly hosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly wsOrigins: readonly string[]
  readonly batchLimit: number
  /** Maximum size of an HTTP body and of an IPC message, in bytes. */
  readonly bodyLimit: number
  readonly maxConnections: number
  /** Answers /healthz and /readyz over HTTP. */
  readonly health?: () => Health
  readonly log: Log
  readonly observe?: CallObserver
  /** Ends the servers, as close() does. */
  readonly signal: AbortSignal
  /** Each limit has a default. */
  readonly limits?: Partial<WireLimits>
}

/** Limits on the time and memory that clients may use. Bytes and milliseconds. */
export type WireLimits = {
  /** All responses of a batch. */
  readonly batchResponse: number
  /** One message from a WebSocket client. */
  readonly webSocketMessage: number
  /** What is queued for a WebSocket or IPC client that reads slowly. */
  readonly sendBuffer: number
  readonly pingInterval: number
  /** Timeout for the headers of a request, and for all of it. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** How long an HTTP connection may be idle. */
  readonly keepAlive: number
  /** How long requests in progress may take after a stop. */
  readonly closeGrace: number
}

const LIMITS: WireLimits = {
  batchResponse: 25_000_000,
  webSocketMessage: 1024 * 1024,
  sendBuffer: 1024 * 1024,
  pingInterval: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAlive: 120_000,
  closeGrace: 2_000,
}

const COMPRESS_FROM = 16 * 1024

export type JsonRpcServers = {
  readonly httpAddress: ListenAddress
  readonly wsAddress: ListenAddress
  /** Number of connected WebSocket clients. */
  webSocketClients(): number
  /** Stops listening, lets requests in progress finish, then drops the remaining connections. */
  close(): Promise<void>
}

/**
 * Whether every address that serves JSON-RPC over TCP is local to this machine: then any caller may use unlocked
 * accounts (D14), and private methods are served (D13).
 */
export function isLocalOnly(...addresses: readonly ListenAddress[]): boolean {
  return addresses.every(({ host }) => isLoopback(host))
}

/** Starts the servers. Throws UserError when an address or the socket is taken. */
export async function startJsonRpc<World>(options: JsonRpcOptions<World>): Promise<JsonRpcServers> {
  const { table, world, log, observe, batchLimit, signal } = options
  const limits = { ...LIMITS, ...options.limits }
  const isLocal = isLocalOnly(options.address, options.wsAddress)
  const access: AccessPolicy = {
    secret: options.secret,
    isOpen: options.privateAccess === 'open',
  }
  if (access.isOpen && !isLocal)
    throw new UserError(
      'json-rpc.private = "open" is for loopback addresses only',
      'Use tokens (json-rpc.private = "token"), or listen on 127.0.0.1.',
    )
  if (access.isOpen)
    log.warn(
      'json-rpc.private is open: every program on this machine can use personal_* and miner_*',
    )
  const isPrivateServed = isLocal || options.privateRemote
  const namespaces = ['rpc', ...options.namespaces].filter(
    (namespace) => isPrivateServed || !PRIVATE_NAMESPACES.includes(namespace),
  )
  const shared = {
    table,
    world,
    log,
    observe,
    batchLimit,
    batchResponseLimit: limits.batchResponse,
  }
  const dispatch = createDispatch({ ...shared, namespaces })
  const common = {
    dispatch,
    access,
    profile: options.blockProfile,
    hosts: options.hosts,
    maxConnections: options.maxConnections,
    headersTimeout: limits.headersTimeout,
    log,
  }

  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    await Promise.all(closers.splice(0).map((closer) => closer()))
  }

  async function startHttp(): Promise<ListenAddress> {
    const create = (): HttpServer =>
      createHttpServer({
        ...common,
        corsOrigins: options.corsOrigins,
        bodyLimit: options.bodyLimit,
        requestTimeout: limits.requestTimeout,
        keepAlive: limits.keepAlive,
        health: options.health,
        // On the same machine, compression only costs time.
        compressFrom: isLoopback(options.address.host) ? undefined : COMPRESS_FROM,
      })
    const { servers, port } = await listenAll(
      create,
      options.address,
      '--json-rpc.address host:port',
    )
    for (const server of servers) closers.push(() => closeServer(server, limits.closeGrace))
    return { host: options.address.host, port }
  }

  const listeners: WebSocketListener[] = []
  const webSocketClients = (): number =>
    listeners.reduce((sum, listener) => sum + listener.clientCount(), 0)

  async function startWebSocket(): Promise<ListenAddress> {
    const create = (): HttpServer => {
      const listener = createWebSocketServer({
        ...common,
        origins: options.wsOrigins,
        messageLimit: limits.webSocketMessage,
        sendBufferLimit: limits.sendBuffer,
        pingInterval: limits.pingInterval,
      })
      listeners.push(listener)
      return listener.server
    }
    const { servers, port } = await listenAll(
      create,
      options.wsAddress,
      '--json-rpc.ws-address host:port',
    )
    closers.push(async () => {
      const closed = servers.map((server) => closeServer(server, limits.closeGrace))
      for (const listener of listeners) listener.endAll()
      await Promise.all(closed)
    })
    return { host: options.wsAddress.host, port }
  }

  try {
    const httpAddress = await startHttp()
    const wsAddress = await startWebSocket()
    if (options.ipcPath !== undefined) {
      const ipc = await startIpc({
        path: options.ipcPath,
        dispatch: createDispatch(shared),
        messageLimit: options.bodyLimit,
        sendBufferLimit: limits.sendBuffer,
        log,
      })
      closers.push(() => ipc.close())
    }
    log.info(
      { http: formatAddress(httpAddress), ws: formatAddress(wsAddress), ipc: options.ipcPath },
      'JSON-RPC is served',
    )
    signal.addEventListener('abort', () => void close(), { once: true })
    return { httpAddress, wsAddress, webSocketClients, close }
  } catch (error) {
    await close()
    throw error
  }
}
