/**
 * The HTTP side of the dispatcher: Fastify with zod schemas, OpenAPI 3.1, and one format for all errors (D26, D37,
 * D50).
 */
import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { messageOf } from '../../base/errors.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { createHostGuard, createOriginGuard } from '../../base/hosts.ts'
import type { Log } from '../../base/log.ts'
import { isUnavailable } from '../../store/sql/database.ts'
import { encodeWithZod, issuesOf, parseWithZod } from '../zodRoutes.ts'
import { addApiPage } from './apiPage/routes.ts'
import { ApiError, errorBody, type ErrorCode } from './apiError.ts'
import { ObjectStoreError } from './archive/objectStore.ts'
import { HEADERS } from './openai/reply.ts'
import { isOpenaiPath, openaiErrorBody } from './openai/errorBody.ts'
import { documentRoutes } from './openapi/document.ts'
import { addJsonBodies, BODY_LIMIT } from './requestBody.ts'

/** Back-off after the database was unreachable. */
const AWAY_SECONDS = 2

/** Headers that pages may read. */
const EXPOSED = ['x-request-id', 'retry-after', ...Object.values(HEADERS)].join(', ')

/** Headers that pages may send where a preflight names none. */
const OWN_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID'
/** Names of headers in a preflight, and the maximum length of their list. */
const HEADER_NAMES = /^[\w-]+(?:, ?[\w-]+)*$/
const MAX_WANTED = 1024

/** What a response may reveal about an error that the HTTP framework raised. */
const FRAMEWORK_ERRORS: Readonly<Partial<Record<number, readonly [ErrorCode, string]>>> = {
  400: [400, 'the body is malformed'],
  413: [413, `the body is larger than ${BODY_LIMIT} bytes`],
  414: [400, 'the path is too long'],
  415: [415, 'send the body as application/json'],
}

/** An application without routes: limits, host check, error bodies and the document at /openapi.json and as a page at /docs. */
export function createHttpApp(options: {
  readonly hosts: readonly string[]
  /** Web origins that may read responses. */
  readonly corsOrigins: readonly string[]
  readonly version: string
  /** Whether a text is the token of a project; by default none is. */
  readonly isToken?: (token: string) => Promise<boolean>
  readonly log: Log
}): FastifyInstance {
  const { log } = options
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    genReqId: () => randomUUID(),
    // Names of models are longer than the router's default.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: BOUNDS.scalar },
    frameworkErrors: (_error, request, reply: FastifyReply) => {
      const error = new ApiError(400, 'the path is malformed')
      void reply.status(400).header('x-request-id', request.id).send(bodyOf(error, request))
    },
  })
  app.setValidatorCompiler(parseWithZod)
  app.setSerializerCompiler(encodeWithZod)
  // Anything but JSON is 415, not a validation error about a string.
  addJsonBodies(app, options.isToken ?? (async () => false))

  const isHostAllowed = createHostGuard(options.hosts)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (!isHostAllowed(request.headers.host))
      throw new ApiError(403, 'this host name is not served: add it to dispatcher.hosts')
  })
  addCors(app, options.corsOrigins)
  app.setNotFoundHandler(async (request, reply) => {
    const error = new ApiError(404, `no such endpoint: ${request.method} ${pathOf(request)}`)
    return reply.status(404).send(bodyOf(error, request))
  })
  app.setErrorHandler(async (thrown: FastifyError, request, reply) => {
    const error = explain(thrown)
    if (error.code === 500)
      log.error({ err: thrown, path: pathOf(request), requestId: request.id }, 'request failed')
    if (error.code === 503)
      log.warn(
        { err: messageOf(thrown), path: pathOf(request), requestId: request.id },
        'not available',
      )
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter)
    // OpenAI's clients would send it again.
    if (error.code === 502 || error.code === 504) reply.header('x-should-retry', 'false')
    return reply.status(error.code).send(bodyOf(error, request))
  })
  const document = documentRoutes(app, options.version)
  app.get('/openapi.json', { schema: { hide: true } }, async () => document())
  addApiPage(app, document)
  return app
}

/**
 * Lets pages of these origins read responses, including streams, and answers their preflight requests; adds no CORS
 * headers for others.
 */
function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const isOriginAllowed = createOriginGuard(origins)
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    // On the raw response, because streams bypass the framework.
    reply.raw.setHeader('vary', 'Origin')
    if (origin === undefined || !isOriginAllowed(origin)) return undefined
    reply.raw.setHeader('access-control-allow-origin', origin)
    reply.raw.setHeader('access-control-expose-headers', EXPOSED)
    if (request.method !== 'OPTIONS') return undefined
    return reply
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': allowedHeaders(
          request.headers['access-control-request-headers'],
        ),
        'access-control-max-age': '600',
      })
      .status(204)
      .send()
  })
}

/** Whatever headers a page of an allowed origin wants to send: clients of OpenAI's API add their own. */
function allowedHeaders(wanted: string | undefined): string {
  const isList = wanted !== undefined && wanted.length <= MAX_WANTED && HEADER_NAMES.test(wanted)
  return isList ? wanted : OWN_HEADERS
}

/** The body of an error, in the form of the API that the path belongs to. */
function bodyOf(error: ApiError, request: FastifyRequest): object {
  return isOpenaiPath(pathOf(request)) ? openaiErrorBody(error) : errorBody(error, request.id)
}

function explain(thrown: FastifyError): ApiError {
  if (thrown instanceof ApiError) return thrown
  const details = issuesOf(thrown)
  if (details !== undefined) {
    const [first] = details
    const where = first === undefined || first.path === '' ? 'the body' : first.path
    return new ApiError(400, `${where}: ${first?.message ?? 'is wrong'}`, { details })
  }
  if (isUnavailable(thrown))
    return new ApiError(503, 'the database is unavailable; try again', { retryAfter: AWAY_SECONDS })
  if (thrown instanceof ObjectStoreError)
    return new ApiError(503, 'the archive is unavailable; try again', { retryAfter: AWAY_SECONDS })
  const known = FRAMEWORK_ERRORS[thrown.statusCode ?? 500]
  return known === undefined ? new ApiError(500, 'internal error') : new ApiError(...known)
}

/** The path without its query. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}
