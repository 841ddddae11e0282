/**
 * Bodies of requests: who sends one is known before it is parsed, and where it is large, before it is read (D74). What all of
 * them take together is bounded.
 */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { JsonBudgetError, parseBounded, REQUEST_LIMITS } from '../../base/jsonBudget.ts'
import { stringMember } from '../../base/jsonMembers.ts'
import { ApiError } from './apiError.ts'

/** Largest body of a request whose route does not say otherwise, and of one whose token is in it, in bytes. */
export const BODY_LIMIT = 1024 * 1024
/** Largest body of a query by job id. Anybody's body of this size is parsed. */
export const QUERY_LIMIT = 16 * 1024
/** What the bodies of all requests in progress may take, in bytes, and those of them without a token in the header. */
const MAX_HELD = 64 * 1024 * 1024
const MAX_HELD_OF_STRANGERS = 32 * 1024 * 1024
const BUSY_SECONDS = 1

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route serves callers without a token. */
    isOpen?: boolean
  }
}

/** What every error says where the token is missing or wrong. */
export const UNAUTHENTICATED = 'this requires a valid project token, in verify or as a bearer token'

/** The token of an Authorization header. */
export function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

const NOT_JSON = `the body is not valid JSON with at most ${REQUEST_LIMITS.depth} levels of nesting`

/** Parses JSON bodies, and nothing else. `isToken` says whether a text is the token of a project. */
export function addJsonBodies(
  app: FastifyInstance,
  isToken: (token: string) => Promise<boolean>,
): void {
  const holders = createHolders()

  async function requireToken(token: string | undefined): Promise<void> {
    if (token === undefined || !(await isToken(token))) throw new ApiError(401, UNAUTHENTICATED)
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, body: Readable) => {
    const bearer = bearerOf(request)
    const isOpen = request.routeOptions.config.isOpen === true
    if (bearer !== undefined && !isOpen) await requireToken(bearer)
    const isStranger = bearer === undefined || isOpen
    const bytes = await readBody(request, body, isStranger, holders)
    if (isStranger && bytes.length > QUERY_LIMIT)
      await requireToken(stringMember(bytes.toString(), 'verify'))
    return parse(bytes)
  })
  app.addHook('onResponse', async (request) => holders.release(request))
}

function parse(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes)
  } catch (error) {
    throw new ApiError(400, error instanceof JsonBudgetError ? error.message : NOT_JSON)
  }
}

/** The body of a request. Throws ApiError where it is too large, or there is no room for it now. */
async function readBody(
  request: FastifyRequest,
  body: Readable,
  isStranger: boolean,
  holders: Holders,
): Promise<Buffer> {
  const { bodyLimit } = request.routeOptions
  const limit = isStranger ? Math.min(bodyLimit, BODY_LIMIT) : bodyLimit
  const requireFit = (bytes: number): void => {
    if (bytes > bodyLimit) throw new ApiError(413, `the body is larger than ${bodyLimit} bytes`)
    if (bytes > limit)
      throw new ApiError(
        401,
        `a body of more than ${limit} bytes needs the token as a bearer token`,
      )
  }
  requireFit(Number(request.headers['content-length'] ?? 0))
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    requireFit(size)
    holders.hold(request, chunk.length, isStranger)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Holders = ReturnType<typeof createHolders>

/** Counts the bytes of bodies until the responses to their requests are over. */
function createHolders() {
  const held = { byAll: 0, byStrangers: 0 }
  const releases = new WeakMap<FastifyRequest, (() => void) & { bytes: number }>()

  function enter(request: FastifyRequest, isStranger: boolean): { bytes: number } {
    const known = releases.get(request)
    if (known !== undefined) return known
    // Kept here: the framework drops it from the request when the connection is gone.
    const { socket } = request.raw
    const release = Object.assign(
      () => {
        socket.off('close', release)
        releases.delete(request)
        held.byAll -= release.bytes
        if (isStranger) held.byStrangers -= release.bytes
      },
      { bytes: 0 },
    )
    releases.set(request, release)
    socket.once('close', release)
    return release
  }

  return {
    /** Throws ApiError 503 where there is no room. */
    hold(request: FastifyRequest, bytes: number, isStranger: boolean): void {
      if (
        held.byAll + bytes > MAX_HELD ||
        (isStranger && held.byStrangers + bytes > MAX_HELD_OF_STRANGERS)
      )
        throw new ApiError(503, 'too many large requests are in progress; try again', {
          retryAfter: BUSY_SECONDS,
        })
      enter(request, isStranger).bytes += bytes
      held.byAll += bytes
      if (isStranger) held.byStrangers += bytes
    },
    release(request: FastifyRequest): void {
      releases.get(request)?.()
    },
  }
}
