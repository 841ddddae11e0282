/** JSON-RPC over WebSocket, on a port of its own; the same paths as over HTTP (D4). */
import http, { type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { addressGroup } from '../base/addressGroup.ts'
import { systemClock } from '../base/clock.ts'
import { limitConnections } from '../base/fairConnections.ts'
import { createHostGuard, createOriginGuard } from '../base/hosts.ts'
import { httpTimeouts } from '../base/httpTimeouts.ts'
import type { Log } from '../base/log.ts'
import { bytesOfMessage } from '../base/socketMessage.ts'
import { authenticate, type AccessPolicy, type Credentials } from './auth.ts'
import { textOf } from './body.ts'
import type { Dispatch } from './dispatch.ts'
import { profileOfPath, type BlockProfile } from './method.ts'
import { jsonBytes, type JsonText } from './rawJson.ts'
import { createSession } from './session.ts'

export type WebSocketOptions = {
  readonly dispatch: Dispatch
  readonly access: AccessPolicy
  readonly profile: BlockProfile
  readonly hosts: readonly string[]
  /** Web origins that may connect. A client without an Origin header is not a web page and may. */
  readonly origins: readonly string[]
  readonly maxConnections: number
  /** Timeout for the headers of an upgrade, in milliseconds. */
  readonly headersTimeout: number
  /** Maximum size of a message from a client, in bytes. */
  readonly messageLimit: number
  /** Maximum number of characters of notifications queued for a slow client before it is disconnected with 1013. */
  readonly sendBufferLimit: number
  /** Time between pings, in milliseconds; a client that has not answered by the next one is disconnected. */
  readonly pingInterval: number
  readonly log: Log
}

const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013
const POLICY_VIOLATION = 1008

/** How long a client may take to complete the closing handshake. */
const CLOSE_GRACE_MS = 1_000

function refuse(socket: Duplex, status: number, text: string, header = ''): void {
  const reason = http.STATUS_CODES[status] ?? ''
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n${header}\r\n${text}`,
  )
}

function closeSoon(client: WebSocket, code: number, reason: string): void {
  if (client.readyState !== client.OPEN) return
  client.close(code, reason)
  setTimeout(() => client.terminate(), CLOSE_GRACE_MS).unref()
}

/** A server that is not listening yet. */
export type WebSocketListener = {
  readonly server: http.Server
  /** Number of connected clients. */
  clientCount(): number
  /** Tells every client that the server is going away, and drops those that stay connected. */
  endAll(): void
}

/** Creates a WebSocket server. */
export function createWebSocketServer(options: WebSocketOptions): WebSocketListener {
  const { dispatch, access, log, sendBufferLimit } = options
  const isHostAllowed = createHostGuard(options.hosts)
  const isOriginAllowed = createOriginGuard(options.origins)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: options.messageLimit })
  const silent = new WeakSet<WebSocket>()

  function endAtExpiry(client: WebSocket, expiresAt: number): void {
    const cancel = systemClock.setTimer(expiresAt * 1000 - Date.now(), () =>
      closeSoon(client, POLICY_VIOLATION, 'token is expired'),
    )
    client.once('close', cancel)
  }

  function serve(
    client: WebSocket,
    remoteAddress: string | undefined,
    credentials: Credentials,
    profile: BlockProfile,
  ): void {
    const channel = {
      write(text: JsonText, onSent: () => void): void {
        if (typeof text === 'string') client.send(text, onSent)
        else client.send(jsonBytes(text), { binary: false }, onSent)
      },
      setPaused(isPaused: boolean): void {
        if (isPaused) client.pause()
        else client.resume()
      },
      drop: (): void => closeSoon(client, TRY_AGAIN_LATER, 'the client reads too slowly'),
    }
    const { expiresAt, ...rest } = credentials
    const who = {
      transport: 'websocket' as const,
      client: addressGroup(remoteAddress),
      ...rest,
    }
    const session = createSession(channel, { dispatch, who, profile, sendBufferLimit })
    client.on('message', (data) => session.receive(textOf(bytesOfMessage(data)) ?? ''))
    client.on('pong', () => silent.delete(client))
    client.on('error', (error) => log.debug({ err: error }, 'a WebSocket failed'))
    client.once('close', () => session.end())
    if (expiresAt !== undefined) endAtExpiry(client, expiresAt)
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const { host, origin, authorization } = request.headers
    const profile = profileOfPath(request.url ?? '/', options.profile)
    const { remoteAddress } = request.socket
    const credentials = authenticate(authorization, remoteAddress, access)
    if (!isHostAllowed(host)) refuse(socket, 403, 'invalid host specified')
    else if (origin !== undefined && !isOriginAllowed(origin))
      refuse(socket, 403, 'origin not allowed')
    else if (profile === undefined) refuse(socket, 404, 'not found: connect to / or /ethereum')
    else if (credentials.refusal !== undefined)
      refuse(socket, 401, credentials.refusal, 'WWW-Authenticate: Bearer\r\n')
    else
      sockets.handleUpgrade(request, socket, head, (client) =>
        serve(client, remoteAddress, credentials, profile),
      )
  }

  const pings = setInterval(() => {
    for (const client of sockets.clients) {
      if (silent.has(client)) client.terminate()
      else {
        silent.add(client)
        client.ping()
      }
    }
  }, options.pingInterval)
  pings.unref()

  const server = http.createServer(
    httpTimeouts({ headersTimeout: options.headersTimeout }),
    (_, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' })
      response.end('this port speaks WebSocket\n')
    },
  )
  limitConnections(server, options.maxConnections)
  server.on('upgrade', upgrade)
  server.once('close', () => clearInterval(pings))
  return {
    server,
    clientCount: () => sockets.clients.size,
    endAll() {
      for (const client of sockets.clients) closeSoon(client, GOING_AWAY, 'the node is stopping')
    },
  }
}
