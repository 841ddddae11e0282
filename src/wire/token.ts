/**
 * The bearer tokens of the private methods (D13): JSON Web Tokens (RFC 7519) signed with HS256. Two kinds are accepted:
 * fresh ones, as in the Engine API (`iat` within a minute), and long-lived ones with `exp` and `scope`.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { list, scalarText } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { parseBounded } from '../base/jsonBudget.ts'

/** What a valid token allows. */
export type Grant = {
  /**
   * Identifies the token for unlocks (D14): its `jti`; all fresh tokens of the secret's holder are the same principal.
   */
  readonly principal: string
  /** undefined allows every private method. */
  readonly scope: readonly string[] | undefined
  /** Seconds since 1970; undefined for a fresh token. */
  readonly expiresAt: number | undefined
  /** Seconds since 1970 from which the token is refused. */
  readonly validUntil: number
}

/** A token that is not accepted; the message says why and contains nothing of it. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
}

/** Maximum difference between `iat` and now, in seconds (Engine API, authentication). */
const MAX_AGE_S = 60
const MAX_TOKEN_LENGTH = 4096

/** Of one part: a token is part of a head, which is small anyway. */
const LIMITS = { bytes: 16 * 1024, depth: 16, values: 1024 }

const header = z.object({ alg: z.literal('HS256'), crit: z.undefined().optional() })
const claims = z.object({
  iat: z.number().optional(),
  exp: z.number().optional(),
  scope: list(scalarText(), BOUNDS.list).optional(),
  jti: z.string().max(128).optional(),
})

function hmac(text: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decodePart<T>(part: string, schema: z.ZodType<T>, complaint: string): T {
  let value: unknown
  try {
    value = parseBounded(Buffer.from(part, 'base64url'), LIMITS)
  } catch {
    throw new TokenError(complaint)
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new TokenError(complaint)
  return parsed.data
}

/** Creates a long-lived token: `scope` lists "personal:*", "miner:setEtherbase" or "*"; times in seconds. */
export function createToken(
  secret: Uint8Array,
  options: {
    readonly scope: readonly string[]
    readonly ttl: number
    readonly name: string
    /** Seconds since 1970. */
    readonly now: number
  },
): string {
  const { scope, ttl, name, now } = options
  const payload = encodePart({
    iat: now,
    exp: now + ttl,
    scope,
    sub: name,
    jti: randomBytes(16).toString('hex'),
  })
  const signed = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${payload}`
  return `${signed}.${hmac(signed, secret).toString('base64url')}`
}

/** What a token allows at the time `now` (seconds since 1970). Throws TokenError. */
export function verifyToken(token: string, secret: Uint8Array, now: number): Grant {
  const parts = token.split('.')
  const [head, body, signature] = parts
  const isWellFormed = token.length <= MAX_TOKEN_LENGTH && parts.length === 3
  if (!isWellFormed || head === undefined || body === undefined || signature === undefined)
    throw new TokenError('malformed token')
  decodePart(head, header, 'the token must be signed with HS256')
  const given = Buffer.from(signature, 'base64url')
  const expected = hmac(`${head}.${body}`, secret)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new TokenError('invalid signature')

  const { iat, exp, scope, jti } = decodePart(body, claims, 'invalid claims')
  if (exp !== undefined && exp <= now) throw new TokenError('token is expired')
  if (iat !== undefined && iat > now + MAX_AGE_S) throw new TokenError('future token')
  if (exp !== undefined && scope !== undefined)
    return {
      principal: `token:${jti ?? createHash('sha256').update(body).digest('hex')}`,
      scope,
      expiresAt: exp,
      validUntil: exp,
    }
  if (iat === undefined) throw new TokenError('missing issued-at')
  if (iat < now - MAX_AGE_S) throw new TokenError('stale token')
  const validUntil = Math.min(iat + MAX_AGE_S, exp ?? Number.POSITIVE_INFINITY)
  return { principal: 'secret', scope, expiresAt: exp, validUntil }
}
