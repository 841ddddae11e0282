/** The HTTP side of the consensus RPC: bodies, headers and paths. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyTooLargeError, readBody } from '../../wire/body.ts'
import type { Access } from './access.ts'
import type { CallContext } from './call.ts'
import { endpointList } from './endpointList.ts'
import { errorReply } from './envelope.ts'
import type { CometLimits } from './limits.ts'
import { answerPost } from './post.ts'
import type { HttpReply } from './reply.ts'
import { answerUri } from './uri.ts'

export type HttpContext = CallContext & { readonly limits: CometLimits; readonly access: Access }

const METHODS = 'HEAD, GET, POST'
const HEADERS = 'Origin, Accept, Content-Type, X-Requested-With, X-Server-Time'

/** Remote address and port of a connection. */
export function remoteOf({ socket }: IncomingMessage): string {
  return `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`
}

/** Path and query of a request target. Never throws, whatever it contains. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** The body as text, or undefined when it is larger than the limit. */
async function readText(request: IncomingMessage, limit: number): Promise<string | undefined> {
  try {
    return (await readBody(request, limit)).toString()
  } catch (error) {
    if (error instanceof BodyTooLargeError) return undefined
    throw error
  }
}

const refusal = (status: number, text: string): HttpReply => ({
  status,
  body: `${text}\n`,
  cacheable: false,
  contentType: 'text/plain; charset=utf-8',
})

async function answer(
  context: HttpContext,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { limits } = context
  const body = await readText(request, limits.maxBodyBytes)
  if (body === undefined) {
    const data = 'error reading request body: http: request body too large'
    const fault = { kind: 'invalidRequest', data } as const
    return { status: 400, body: errorReply(undefined, fault), cacheable: false }
  }
  const { path, query } = splitTarget(request.url ?? '/')
  const caller = { remote: remoteOf(request), signal }
  if (path !== '/' && path !== '') {
    if (path === '/websocket') return refusal(400, 'Bad Request')
    if (!context.table.has(path.slice(1))) return refusal(404, '404 page not found')
    const form = /^application\/x-www-form-urlencoded\b/i.test(
      request.headers['content-type'] ?? '',
    )
      ? body
      : ''
    const [uriArguments, formArguments] = [new URLSearchParams(query), new URLSearchParams(form)]
    return answerUri(context, path.slice(1), uriArguments, formArguments, caller)
  }
  return body === ''
    ? endpointList(context.table, request.headers.host ?? '')
    : answerPost(context, body, limits.maxBatch, caller)
}

function write(response: ServerResponse, reply: HttpReply): void {
  const bytes = Buffer.from(reply.body)
  response.writeHead(reply.status, {
    // A response to nothing but notifications is empty.
    ...(bytes.length > 0 ? { 'Content-Type': reply.contentType ?? 'application/json' } : {}),
    'Content-Length': bytes.length,
    'X-Server-Time': Math.floor(Date.now() / 1000),
    ...(reply.cacheable ? { 'Cache-Control': 'public, max-age=86400' } : {}),
  })
  response.end(bytes)
}

/** Answers one HTTP request. Never throws; a fault is logged and answered with 500. */
export async function handleHttp(
  context: HttpContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host, origin } = request.headers
  if (!context.access.isHostAllowed(host)) {
    write(
      response,
      refusal(403, 'this host name is not served here: use an IP address or localhost'),
    )
    return
  }
  if (origin !== undefined && context.access.isOriginAllowed(origin)) {
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader('Vary', 'Origin')
    if (request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', METHODS)
      response.setHeader('Access-Control-Allow-Headers', HEADERS)
      response.writeHead(204).end()
      return
    }
  }
  if (!METHODS.split(', ').includes(request.method ?? '')) {
    response.setHeader('Allow', METHODS)
    write(response, refusal(405, 'method not allowed'))
    return
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    write(response, await answer(context, request, gone.signal))
  } catch (error) {
    // The client aborted its own request: there is no one left to answer.
    if (request.destroyed && !request.complete) return
    context.log.error({ err: error }, 'consensus RPC: an HTTP request failed')
    if (!response.headersSent) write(response, refusal(500, 'internal server error'))
  }
}
