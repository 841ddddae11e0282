/** Who sends a request: the Authorization header, read once per HTTP request or WebSocket upgrade (D13). */
import { isLoopback } from '../base/hosts.ts'
import { TokenError, verifyToken, type Grant } from './token.ts'

/** `open` lets everybody use private methods: for development, on loopback only. */
export type AccessPolicy = { readonly secret: Uint8Array; readonly isOpen: boolean }

/** The part of Caller that credentials decide. */
export type Credentials = {
  readonly authorized: boolean
  readonly principal: string | undefined
  readonly scope: readonly string[] | undefined
  readonly refusal: string | undefined
  /** Seconds since 1970 at which a lasting token ends; undefined is never. */
  readonly expiresAt: number | undefined
}

function withoutGrant(authorized: boolean, refusal: string | undefined): Credentials {
  return { authorized, principal: undefined, scope: undefined, refusal, expiresAt: undefined }
}

const ANONYMOUS = withoutGrant(false, undefined)
const EVERYBODY = withoutGrant(true, undefined)

function readToken(header: string, remoteAddress: string | undefined): string {
  const [scheme = '', value = ''] = header.trim().split(/ +/, 2)
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value
    case 'basic': {
      if (!isLoopback(remoteAddress ?? ''))
        throw new TokenError('Basic authentication is for loopback only, send Bearer')
      const pair = Buffer.from(value, 'base64').toString()
      return pair.slice(pair.indexOf(':') + 1)
    }
    default:
      throw new TokenError('send Authorization: Bearer')
  }
}

/** Judges an Authorization header. A bad one makes the caller anonymous, with the reason in `refusal`. */
export function authenticate(
  header: string | undefined,
  remoteAddress: string | undefined,
  { secret, isOpen }: AccessPolicy,
): Credentials {
  if (isOpen) return EVERYBODY
  if (header === undefined) return ANONYMOUS
  let grant: Grant
  try {
    grant = verifyToken(readToken(header, remoteAddress), secret, Date.now() / 1000)
  } catch (error) {
    if (error instanceof TokenError) return withoutGrant(false, error.message)
    throw error
  }
  return { authorized: true, refusal: undefined, ...grant }
}
