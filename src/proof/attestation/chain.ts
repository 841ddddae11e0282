/** Chains of certificates from an attestation key to a pinned root (RFC 5280, section 6, without names and policies). */
import { sha256 } from '@noble/hashes/sha2.js'
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import type { AttestationCrypto } from './crypto.ts'
import {
  readBoolean,
  readDer,
  readEcdsaSignature,
  readSequence,
  readSmallInteger,
  TAG,
} from './der.ts'
import { AttestationRefused, refuseUnless, type Ledger } from './ledger.ts'
import type { Certificate, Signed } from './x509.ts'

const BASIC_CONSTRAINTS = '2.5.29.19'
const KEY_USAGE = '2.5.29.15'
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([BASIC_CONSTRAINTS, KEY_USAGE])
const MAX_CHAIN = 8

/** Bits of the first byte of KeyUsage. */
export const USAGE = { digitalSignature: 0x80, certificateSigning: 0x04 } as const

/** Whether an issuer's key made the signature. */
export async function isSignedBy(
  crypto: AttestationCrypto,
  { algorithm, signature, signedBytes }: Signed,
  { key }: Certificate,
): Promise<boolean> {
  if (algorithm === 'RSA-PSS')
    return key.type === 'rsa' && (await crypto.verifyRsaPss(key.spki, signature, signedBytes))
  if (key.type !== 'ecdsa' || key.curve !== algorithm) return false
  const size = algorithm === 'P-256' ? 32 : 48
  const numbers = readEcdsaSignature(signature, size)
  return crypto.verifyEcdsa(key.curve, key.point, numbers, signedBytes)
}

/** Whether a certificate allows this key usage: explicitly, or by not restricting it. */
function allowsUsage({ extensions }: Certificate, bit: number): boolean {
  const usage = extensions.get(KEY_USAGE)
  if (usage === undefined) return true
  // Unused bits are at the end, so they do not affect the first byte.
  return ((readDer(usage.value, TAG.bitString).contents[1] ?? 0) & bit) !== 0
}

/** Whether a certificate may issue others, with `below` certificates of issuers between it and the leaf. */
function mayIssue(certificate: Certificate, below: number): boolean {
  const constraints = certificate.extensions.get(BASIC_CONSTRAINTS)
  if (constraints === undefined) return false
  const [isAuthority, depth] = readSequence(readDer(constraints.value, TAG.sequence))
  if (isAuthority === undefined || !readBoolean(isAuthority)) return false
  if (depth !== undefined && readSmallInteger(depth) < below) return false
  return allowsUsage(certificate, USAGE.certificateSigning)
}

function hasUnknownCritical({ extensions }: Certificate): boolean {
  return [...extensions].some(([oid, { critical }]) => critical && !KNOWN_EXTENSIONS.has(oid))
}

export type ChainRules = {
  /** The chain's owner, for the verdict's checks: "AWS Nitro". */
  readonly name: string
  /** SHA-256 of the accepted roots' DER, in hex digits. */
  readonly roots: readonly string[]
  /** Milliseconds since 1970. Every certificate must be valid then. */
  readonly nowMs: number
  /** A bit of USAGE that the leaf must allow, unless it does not restrict key usage. */
  readonly leafUsage: number
}

/**
 * Verifies a chain, leaf first and root last. The root is trusted because it is pinned. Throws AttestationRefused with
 * the reason, and DerError on malformed certificates.
 */
export async function verifyChain(
  crypto: AttestationCrypto,
  ledger: Ledger,
  chain: readonly Certificate[],
  { name, roots, nowMs, leafUsage }: ChainRules,
): Promise<void> {
  const [leaf] = chain
  const root = chain.at(-1)
  if (leaf === undefined || root === undefined || chain.length === 1 || chain.length > MAX_CHAIN)
    throw new AttestationRefused(`the ${name} chain has ${chain.length} certificates`)
  ledger.require(
    roots.includes(toHexDigits(sha256(root.bytes))),
    `the ${name} chain of ${chain.length} certificates ends at a pinned root`,
    `the ${name} chain does not end at a pinned root`,
  )
  ledger.require(
    chain.every(({ notBeforeMs, notAfterMs }) => notBeforeMs <= nowMs && nowMs <= notAfterMs),
    `every certificate of the ${name} chain is within its dates`,
    `a certificate of the ${name} chain is outside its dates`,
  )
  refuseUnless(
    !chain.some(hasUnknownCritical),
    `a certificate of the ${name} chain has an unknown critical extension`,
  )
  refuseUnless(allowsUsage(leaf, leafUsage), `the ${name} leaf may not use its key so`)
  for (const [index, certificate] of chain.slice(0, -1).entries()) {
    const issuer = chain[index + 1] ?? root
    refuseUnless(
      equalBytes(certificate.issuer, issuer.subject) && mayIssue(issuer, index),
      `certificate ${index + 1} of the ${name} chain may not issue the one before it`,
    )
    refuseUnless(
      await isSignedBy(crypto, certificate, issuer),
      `the signature of certificate ${index} of the ${name} chain does not hold`,
    )
  }
  ledger.note(`every certificate of the ${name} chain is issued and signed by the next`)
}
