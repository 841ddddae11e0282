/** Certificate revocation lists (RFC 5280, section 5), in the subset that hardware vendors publish. */
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { isSignedBy } from './chain.ts'
import type { AttestationContext } from './context.ts'
import {
  DerError,
  expectTag,
  readChildren,
  readInteger,
  readSequence,
  readSmallInteger,
  readTime,
  TAG,
} from './der.ts'
import type { Ledger } from './ledger.ts'
import {
  expectSameAlgorithm,
  readExtensions,
  readSigned,
  type Certificate,
  type Signed,
} from './x509.ts'

type RevocationList = Signed & {
  readonly issuer: Uint8Array
  readonly thisUpdateMs: number
  readonly nextUpdateMs: number
  /** Serial numbers, as in certificates. */
  readonly revoked: ReadonlySet<string>
}

const MAX_LENGTH = 1 << 20

function parseRevocationList(bytes: Uint8Array): RevocationList {
  if (bytes.length > MAX_LENGTH) throw new DerError('a revocation list is too long')
  const { signed, body } = readSigned(bytes)
  const [version, algorithm, issuer, thisUpdate, nextUpdate, ...rest] = readChildren(body)
  if (readSmallInteger(version) !== 1) throw new DerError('a revocation list is not of version 2')
  expectSameAlgorithm(algorithm, signed)
  const entries = rest[0]?.tag === TAG.sequence ? readSequence(rest[0]) : []
  const [extensions, ...more] = rest[0]?.tag === TAG.sequence ? rest.slice(1) : rest
  if (more.length > 0) throw new DerError('a revocation list has too many parts')
  if (extensions !== undefined) {
    const [list] = readChildren(expectTag(extensions, TAG.context(0)))
    // A critical extension may narrow the list's scope (partial and indirect lists).
    if ([...readExtensions(list).values()].some(({ critical }) => critical))
      throw new DerError('a revocation list has a critical extension')
  }
  return {
    ...signed,
    issuer: expectTag(issuer, TAG.sequence).bytes,
    thisUpdateMs: readTime(thisUpdate),
    nextUpdateMs: readTime(nextUpdate),
    revoked: new Set(entries.map((entry) => toHexDigits(readInteger(readSequence(entry)[0])))),
  }
}

/**
 * Requires that a list of `issuer` is current and names none of the certificates. Throws AttestationRefused with the reason,
 * and DerError on malformed lists.
 */
export async function requireNotRevoked(
  { crypto, nowMs }: AttestationContext,
  ledger: Ledger,
  bytes: Uint8Array,
  {
    name,
    issuer,
    certificates,
  }: {
    readonly name: string
    readonly issuer: Certificate
    readonly certificates: readonly Certificate[]
  },
): Promise<void> {
  const list = parseRevocationList(bytes)
  ledger.require(
    equalBytes(list.issuer, issuer.subject) && (await isSignedBy(crypto, list, issuer)),
    `the ${name} revocation list is signed by its issuer`,
    `the ${name} revocation list is not signed by its issuer`,
  )
  ledger.require(
    list.thisUpdateMs <= nowMs && nowMs <= list.nextUpdateMs,
    `the ${name} revocation list is current`,
    `the ${name} revocation list is outside its dates`,
  )
  ledger.require(
    !certificates.some(({ serial }) => list.revoked.has(serial)),
    `no certificate is on the ${name} revocation list`,
    `a certificate is on the ${name} revocation list`,
  )
}
