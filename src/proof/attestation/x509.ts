/** The part of X.509 (RFC 5280) that certificates of attestation keys use. Parsing only; nothing in it is verified yet. */
import { toHexDigits } from '../../base/hex.ts'
import type { EcdsaCurve } from './crypto.ts'
import {
  DerError,
  expectTag,
  readBits,
  readBoolean,
  readChildren,
  readDer,
  readInteger,
  readOid,
  readSequence,
  readSmallInteger,
  readTime,
  TAG,
  type DerValue,
} from './der.ts'

export type PublicKey =
  | { readonly type: 'ecdsa'; readonly curve: EcdsaCurve; readonly point: Uint8Array }
  | { readonly type: 'rsa'; readonly spki: Uint8Array }

export type SignatureAlgorithm = EcdsaCurve | 'RSA-PSS'

/** What an issuer signed: a certificate or a revocation list. */
export type Signed = {
  readonly signedBytes: Uint8Array
  readonly algorithm: SignatureAlgorithm
  /** DER for ECDSA. */
  readonly signature: Uint8Array
}

export type Extension = { readonly critical: boolean; readonly value: Uint8Array }

export type Certificate = Signed & {
  readonly bytes: Uint8Array
  /** Hex digits of the serial number's DER contents. */
  readonly serial: string
  /** DER of the names. */
  readonly issuer: Uint8Array
  readonly subject: Uint8Array
  /** Milliseconds since 1970; both instants are inclusive. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly key: PublicKey
  readonly extensions: ReadonlyMap<string, Extension>
}

const MAX_CERTIFICATE_LENGTH = 8192

// Whole AlgorithmIdentifiers: comparing them covers all parameters.
const SIGNATURE_ALGORITHMS: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ['300a06082a8648ce3d040302', 'P-256'],
  ['300a06082a8648ce3d040303', 'P-384'],
  [
    '304606092a864886f70d01010a3039a00f300d06096086480165030402020500a11c301a06092a864886f70d010108' +
      '300d06096086480165030402020500a203020130a303020101',
    'RSA-PSS',
  ],
])

const EC_KEYS: ReadonlyMap<string, EcdsaCurve> = new Map([
  ['301306072a8648ce3d020106082a8648ce3d030107', 'P-256'],
  ['301006072a8648ce3d020106052b81040022', 'P-384'],
])
const RSA_KEY = '300d06092a864886f70d0101010500'

/** Splits SEQUENCE { signed, algorithm, signature }. Throws DerError. */
export function readSigned(bytes: Uint8Array): { signed: Signed; body: DerValue } {
  const [body, algorithm, signature, ...rest] = readSequence(readDer(bytes, TAG.sequence))
  if (rest.length > 0) throw new DerError('a signed structure has more than three parts')
  const name = toHexDigits(expectTag(algorithm, TAG.sequence).bytes)
  const known = SIGNATURE_ALGORITHMS.get(name)
  if (known === undefined) throw new DerError('a signature algorithm is not accepted')
  const signedBody = expectTag(body, TAG.sequence)
  return {
    body: signedBody,
    signed: {
      signedBytes: signedBody.bytes,
      algorithm: known,
      signature: readBits(signature),
    },
  }
}

/** Throws DerError unless the algorithm named inside the signed part is the one named next to it. */
export function expectSameAlgorithm(inside: DerValue | undefined, signed: Signed): void {
  const name = toHexDigits(expectTag(inside, TAG.sequence).bytes)
  if (SIGNATURE_ALGORITHMS.get(name) !== signed.algorithm)
    throw new DerError('a certificate names two signature algorithms')
}

/** Extensions by object identifier. Throws DerError, also for duplicates. */
export function readExtensions(list: DerValue | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>()
  for (const item of readSequence(list)) {
    const [oid, ...rest] = readSequence(item)
    const critical = rest.length > 1 && readBoolean(rest[0])
    const value = expectTag(rest.at(-1), TAG.octetString).contents
    const name = readOid(oid)
    if (extensions.has(name) || rest.length > 2)
      throw new DerError('extensions are malformed or there twice')
    extensions.set(name, { critical, value })
  }
  return extensions
}

function readPublicKey(value: DerValue | undefined): PublicKey {
  const [algorithm, bits] = readSequence(value)
  const spki = expectTag(value, TAG.sequence).bytes
  const name = toHexDigits(expectTag(algorithm, TAG.sequence).bytes)
  const curve = EC_KEYS.get(name)
  if (curve !== undefined) return { type: 'ecdsa', curve, point: readBits(bits) }
  if (name === RSA_KEY) return { type: 'rsa', spki }
  throw new DerError('a public key is of no accepted kind')
}

/** Parses a DER certificate of version 3. Throws DerError. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  if (bytes.length > MAX_CERTIFICATE_LENGTH) throw new DerError('a certificate is too long')
  const { signed, body } = readSigned(bytes)
  const [version, serial, algorithm, issuer, validity, subject, key, extensions, ...rest] =
    readChildren(body)
  const [number] = readChildren(expectTag(version, TAG.context(0)))
  if (readSmallInteger(number) !== 2 || rest.length > 0)
    throw new DerError('a certificate is not of version 3')
  expectSameAlgorithm(algorithm, signed)
  const [notBefore, notAfter] = readSequence(validity)
  const [list] = readChildren(expectTag(extensions, TAG.context(3)))
  return {
    ...signed,
    bytes,
    serial: toHexDigits(readInteger(serial)),
    issuer: expectTag(issuer, TAG.sequence).bytes,
    subject: expectTag(subject, TAG.sequence).bytes,
    notBeforeMs: readTime(notBefore),
    notAfterMs: readTime(notAfter),
    key: readPublicKey(key),
    extensions: readExtensions(list),
  }
}
