/** X.509 certificates for tests, encoded as DER without a library, so that tests control every field, valid or not. */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { concatBytes } from '../../src/base/bytes.ts'
import { fromHex } from '../../src/base/hex.ts'

/** One element of DER. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...contents)
  const { length } = body
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff]
  return concatBytes(Uint8Array.from(head), body)
}

const SEQUENCE = 0x30
const sequence = (...parts: readonly Uint8Array[]) => der(SEQUENCE, ...parts)
const integer = (value: number) => der(0x02, Uint8Array.of(value))
const ALGORITHMS = {
  'P-256': { hash: 'sha256', der: fromHex('300a06082a8648ce3d040302') },
  'P-384': { hash: 'sha384', der: fromHex('300a06082a8648ce3d040303') },
} as const

const name = (text: string) =>
  sequence(der(0x31, sequence(fromHex('0603550403'), der(0x0c, Buffer.from(text)))))

function utcTime(ms: number): Uint8Array {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return der(0x17, Buffer.from(digits.slice(2)))
}

/** A certificate with its key. */
export type TestCertificate = {
  readonly bytes: Uint8Array
  readonly subject: string
  readonly curve: 'P-256' | 'P-384'
  readonly privateKey: KeyObject
}

export type CertificateFields = {
  readonly subject: string
  readonly curve: 'P-256' | 'P-384'
  /** The certificate signs itself without one. */
  readonly issuer?: TestCertificate
  readonly isAuthority: boolean
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** DER of further extensions. */
  readonly extensions?: readonly Uint8Array[]
  readonly pathLength?: number
  readonly issuerName?: string
  /** Below 128; 1 by default. */
  readonly serial?: number
}

/** An extension; `oid` is DER. */
export function extension(oid: Uint8Array, value: Uint8Array, isCritical = false): Uint8Array {
  const critical = isCritical ? [Uint8Array.of(1, 1, 0xff)] : []
  return sequence(oid, ...critical, der(0x04, value))
}

/** Creates a key and a certificate for it. */
export function makeCertificate(fields: CertificateFields): TestCertificate {
  const { subject, curve, issuer, isAuthority, notBeforeMs, notAfterMs } = fields
  const pair = generateKeyPairSync('ec', { namedCurve: curve })
  const own = { subject, curve, privateKey: pair.privateKey }
  const signer = issuer ?? own
  const algorithm = ALGORITHMS[signer.curve]
  const depth = fields.pathLength === undefined ? [] : [integer(fields.pathLength)]
  const constraints = isAuthority ? sequence(Uint8Array.of(1, 1, 0xff), ...depth) : sequence()
  const usage = der(0x03, Uint8Array.of(isAuthority ? 2 : 7, isAuthority ? 0x04 : 0x80))
  const body = sequence(
    der(0xa0, integer(2)),
    integer(fields.serial ?? 1),
    algorithm.der,
    name(fields.issuerName ?? signer.subject),
    sequence(utcTime(notBeforeMs), utcTime(notAfterMs)),
    name(subject),
    pair.publicKey.export({ format: 'der', type: 'spki' }),
    der(
      0xa3,
      sequence(
        extension(fromHex('0603551d13'), constraints, true),
        extension(fromHex('0603551d0f'), usage, true),
        ...(fields.extensions ?? []),
      ),
    ),
  )
  const signature = sign(algorithm.hash, body, signer.privateKey)
  const bits = der(0x03, Uint8Array.of(0), signature)
  return { ...own, bytes: sequence(body, algorithm.der, bits) }
}

/** A revocation list of serial numbers below 128. */
export function makeRevocationList(
  issuer: TestCertificate,
  revoked: readonly number[],
  dates: { readonly thisUpdateMs: number; readonly nextUpdateMs: number },
): Uint8Array {
  const algorithm = ALGORITHMS[issuer.curve]
  const entries = revoked.map((serial) => sequence(integer(serial), utcTime(dates.thisUpdateMs)))
  const body = sequence(
    integer(1),
    algorithm.der,
    name(issuer.subject),
    utcTime(dates.thisUpdateMs),
    utcTime(dates.nextUpdateMs),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
  )
  const signature = sign(algorithm.hash, body, issuer.privateKey)
  return sequence(body, algorithm.der, der(0x03, Uint8Array.of(0), signature))
}

/** r || s over a message with a certificate's key. */
export function signRaw({ privateKey, curve }: TestCertificate, message: Uint8Array): Uint8Array {
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  return sign(ALGORITHMS[curve].hash, message, { key, dsaEncoding: 'ieee-p1363' })
}
