/** Authenticates callers by the Authorization header, read once per HTTP request or WebSocket upgrade (D13). */
import { isLoopback } from '../base/hosts.ts'
import { TokenError, verifyToken, type Grant } from './token.ts'

/** `open` lets everyone use private methods: for development, on loopback only. */
export type AccessPolicy = { readonly secret: Uint8Array; readonly isOpen: boolean }

/** The part of Caller that credentials decide. */
export type Credentials = {
  readonly authorized: boolean
  readonly principal: string | undefined
  readonly scope: readonly string[] | undefined
  readonly refusal: string | undefined
  /** Seconds since 1970 at which a long-lived token expires; undefined for never. */
  readonly expiresAt: number | undefined
  /** Seconds since 1970 until which the same header gives the same result. */
  readonly validUntil: number
}

function withoutGrant(
  authorized: boolean,
  refusal: string | undefined,
  validUntil: number,
): Credentials {
  const nothing = { principal: undefined, scope: undefined, expiresAt: undefined }
  return { ...nothing, authorized, refusal, validUntil }
}

const ANONYMOUS = withoutGrant(false, undefined, Number.POSITIVE_INFINITY)
const EVERYBODY = withoutGrant(true, undefined, Number.POSITIVE_INFINITY)

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

/** Checks an Authorization header. A bad one makes the caller anonymous, with the reason in `refusal`. */
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
    if (error instanceof TokenError) return withoutGrant(false, error.message, 0)
    throw error
  }
  return { authorized: true, refusal: undefined, ...grant }
}

/**
 * Checks the headers of one connection's requests. A token that the connection showed before is not verified again
 * while it is valid: verification takes several times longer than handling a typical request.
 */
export function createAuthenticator(
  remoteAddress: string | undefined,
  access: AccessPolicy,
): (header: string | undefined) => Credentials {
  let last: { readonly header: string | undefined; readonly credentials: Credentials } | undefined
  return (header) => {
    // Both values come from the same client, who learns nothing from the time that the comparison takes.
    const isSame = last !== undefined && last.header === header
    if (last === undefined || !isSame || Date.now() / 1000 >= last.credentials.validUntil)
      last = { header, credentials: authenticate(header, remoteAddress, access) }
    return last.credentials
  }
}
