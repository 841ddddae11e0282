/**
 * JSON-RPC over HTTP: one POST, one response. Statuses and messages are go-ethereum's (D12); node:http serves them
 * (D37).
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { addressGroup } from '../base/addressGroup.ts'
import { limitConnections } from '../base/fairConnections.ts'
import { createHostGuard, createOriginGuard } from '../base/hosts.ts'
import { httpTimeouts } from '../base/httpTimeouts.ts'
import type { Log } from '../base/log.ts'
import { authenticate, createAuthenticator, type AccessPolicy, type Credentials } from './auth.ts'
import { BodyTooLargeError, readBody, textOf } from './body.ts'
import type { Dispatch } from './dispatch.ts'
import { failureText } from './envelope.ts'
import { RpcError } from './errors.ts'
import { healthCheckOf, sendHealth, type Health } from './health.ts'
import { sendJson, sendText } from './httpAnswer.ts'
import { servePlainRequests } from './plainHttp.ts'
import { profileOfPath, type BlockProfile, type Caller } from './method.ts'

export type HttpOptions = {
  readonly dispatch: Dispatch
  readonly access: AccessPolicy
  /** Block profile of the plain path; /ethereum always uses "ethereum" (D4). */
  readonly profile: BlockProfile
  readonly hosts: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Maximum size of a body, in bytes. */
  readonly bodyLimit: number
  /** Responses with at least this many characters are compressed for clients that accept it; undefined for never. */
  readonly compressFrom: number | undefined
  readonly maxConnections: number
  /** Timeout for the headers of a request, and for all of it, in milliseconds. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** How long a connection may be idle, in milliseconds. */
  readonly keepAlive: number
  /** Answers /healthz and /readyz; without it there are none. */
  readonly health: (() => Health) | undefined
  readonly log: Log
}

const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])

function anonymous(client: string, profile: BlockProfile): Caller {
  return {
    transport: 'http',
    authorized: false,
    principal: undefined,
    client,
    profile,
    connection: undefined,
  }
}

function hasJsonType(request: IncomingMessage): boolean {
  const type = request.headers['content-type'] ?? ''
  if (type === 'application/json') return true
  return CONTENT_TYPES.has((type.split(';', 1)[0] ?? '').trim().toLowerCase())
}

/** Creates an HTTP server that is not listening yet. */
export function createHttpServer(options: HttpOptions): http.Server {
  const { dispatch, access, log, bodyLimit, compressFrom } = options
  const isHostAllowed = createHostGuard(options.hosts)
  const isOriginAllowed = createOriginGuard(options.corsOrigins)

  function callerOf(credentials: Credentials, client: string, profile: BlockProfile): Caller {
    return { transport: 'http', client, profile, connection: undefined, ...credentials }
  }

  /** Authenticates the requests of one connection: nearly always the same caller for all of them. */
  function createCallers(
    remoteAddress: string | undefined,
  ): (authorization: string | undefined, profile: BlockProfile) => Caller {
    const credentialsOf = createAuthenticator(remoteAddress, access)
    const client = addressGroup(remoteAddress)
    const nobody = { spec: anonymous(client, 'spec'), ethereum: anonymous(client, 'ethereum') }
    let last: { readonly credentials: Credentials; readonly caller: Caller } | undefined
    return (authorization, profile) => {
      if (authorization === undefined && !access.isOpen) return nobody[profile]
      const credentials = credentialsOf(authorization)
      if (last?.credentials !== credentials || last.caller.profile !== profile)
        last = { credentials, caller: callerOf(credentials, client, profile) }
      return last.caller
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    profile: BlockProfile,
  ): Promise<void> {
    const body = textOf(await readBody(request, bodyLimit))
    if (body === undefined) {
      const text = failureText('null', new RpcError('parse'))
      await sendJson(request, response, { status: 200, text, compressFrom })
      return
    }
    const { authorization } = request.headers
    const { remoteAddress } = request.socket
    const credentials = authenticate(authorization, remoteAddress, access)
    const { traceparent } = request.headers
    const known = callerOf(credentials, addressGroup(remoteAddress), profile)
    const caller = typeof traceparent === 'string' ? { ...known, traceparent } : known
    const { text = '', isUnauthorized } = await dispatch(body, caller)
    if (isUnauthorized) response.setHeader('www-authenticate', 'Bearer')
    const status = isUnauthorized ? 401 : 200
    await sendJson(request, response, { status, text, compressFrom })
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) return
    if (error instanceof BodyTooLargeError) {
      sendText(response, 413, error.message)
      return
    }
    log.debug({ err: error }, 'an HTTP request ended early')
    response.destroy()
  }

  /** Answers a preflight, or marks the response as readable for an allowed web origin; adds nothing for others. */
  function applyCors(origin: string, response: ServerResponse): void {
    response.setHeader('vary', 'Origin')
    if (!isOriginAllowed(origin)) return
    response.setHeader('access-control-allow-origin', origin)
    response.setHeader('access-control-allow-methods', 'POST, GET')
    response.setHeader('access-control-allow-headers', 'Content-Type, Authorization')
    response.setHeader('access-control-max-age', '600')
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    if (!isHostAllowed(request.headers.host)) {
      sendText(response, 403, 'invalid host specified')
      return
    }
    const check = options.health && healthCheckOf(request.url)
    if (options.health && check !== undefined) {
      sendHealth(request, response, check, options.health())
      return
    }
    const profile = profileOfPath(request.url ?? '/', options.profile)
    if (profile === undefined) {
      sendText(response, 404, 'not found: JSON-RPC is served at / and /ethereum')
      return
    }
    const { origin } = request.headers
    if (origin !== undefined && options.corsOrigins.length > 0) applyCors(origin, response)
    switch (request.method) {
      case 'POST':
        if (hasJsonType(request))
          answer(request, response, profile).catch((error: unknown) => fail(response, error))
        else sendText(response, 415, 'invalid content type, only application/json is supported')
        break
      case 'GET':
      case 'HEAD':
        response.writeHead(200).end()
        break
      case 'OPTIONS':
        response.writeHead(204).end()
        break
      default:
        response.setHeader('allow', 'POST, GET, HEAD, OPTIONS')
        sendText(response, 405, 'method not allowed')
    }
  }

  const server = http.createServer(
    {
      ...httpTimeouts({
        headersTimeout: Math.min(options.headersTimeout, options.requestTimeout),
        requestTimeout: options.requestTimeout,
        keepAliveTimeout: options.keepAlive,
      }),
      noDelay: true,
    },
    handle,
  )
  // A client that neither reads nor writes for this long is disconnected.
  server.timeout = options.keepAlive
  servePlainRequests(server, {
    isServed: ({ path, host, bodyLength }) =>
      bodyLength <= bodyLimit &&
      isHostAllowed(host) &&
      profileOfPath(path, options.profile) !== undefined,
    answersTo(remoteAddress) {
      const callers = createCallers(remoteAddress)
      return (body, { path, authorization }) => {
        const profile = profileOfPath(path, options.profile) ?? options.profile
        return dispatch(body, callers(authorization, profile))
      }
    },
    compressFrom,
    headersTimeout: options.headersTimeout,
    keepAlive: options.keepAlive,
  })
  limitConnections(server, options.maxConnections)
  return server
}
