/**
 * Documents of AWS Nitro Enclaves: COSE_Sign1 with ES384 over a CBOR map, signed by a key whose chain is in the map
 * (Nitro Enclaves: "Verifying the root of trust").
 */
import { equalBytes } from '../../base/bytes.ts'
import { decodeCbor, type CborValue } from '../cbor.ts'
import { decodeCoseSign1, signedBytes } from '../cose.ts'
import { asBytes, asBytesList, asMap, asText } from './cborFields.ts'
import { USAGE, verifyChain } from './chain.ts'
import type { AttestationContext } from './context.ts'
import type { Ledger } from './ledger.ts'
import { requireMeasurement, type Measurement } from './measurement.ts'
import { AWS_NITRO_ROOTS } from './roots.ts'
import { parseCertificate } from './x509.ts'

const MAX_DOCUMENT_LENGTH = 16_384
const MAX_REGISTERS = 32
// The enclave's certificate is valid for three hours; a clock that is slightly ahead is not a forgery.
const MAX_AGE_MS = 3 * 3_600_000
const MAX_AHEAD_MS = 300_000

/** Required contents of a document's three free fields; null means that the field must be empty. */
export type NitroBinding = {
  readonly userData: Uint8Array | null
  readonly nonce: Uint8Array | null
  readonly publicKey: Uint8Array | null
}

export type NitroPolicy = {
  /** Accepted enclaves, by "pcr0" to "pcr31". */
  readonly measurements: readonly Measurement[]
  /** SHA-256 of accepted roots, hex digits; AWS's own by default. */
  readonly roots?: readonly string[]
}

type NitroPayload = {
  readonly timestampMs: number
  readonly registers: ReadonlyMap<string, Uint8Array>
  /** Leaf first. */
  readonly chain: readonly Uint8Array[]
  readonly binding: NitroBinding
}

function optionalBytes(value: CborValue | undefined, name: string): Uint8Array | null {
  return value === undefined || value === null ? null : asBytes(value, name)
}

function parsePayload(bytes: Uint8Array): NitroPayload {
  const payload = asMap(decodeCbor(bytes), 'the payload')
  if (asText(payload.get('module_id'), 'module_id') === '')
    throw new SyntaxError('module_id is empty')
  if (payload.get('digest') !== 'SHA384') throw new SyntaxError('digest is not SHA384')
  const timestampMs = payload.get('timestamp')
  if (typeof timestampMs !== 'number') throw new SyntaxError('timestamp is not a number')
  const pcrs = asMap(payload.get('pcrs'), 'pcrs')
  const registers = new Map<string, Uint8Array>()
  for (const [index, value] of pcrs) {
    const register = asBytes(value, 'a register')
    if (typeof index !== 'number' || index < 0 || index >= MAX_REGISTERS || register.length !== 48)
      throw new SyntaxError('pcrs is malformed')
    registers.set(`pcr${index}`, register)
  }
  const bundle = asBytesList(payload.get('cabundle'), 'cabundle')
  return {
    timestampMs,
    registers,
    chain: [asBytes(payload.get('certificate'), 'certificate'), ...bundle.toReversed()],
    binding: {
      userData: optionalBytes(payload.get('user_data'), 'user_data'),
      nonce: optionalBytes(payload.get('nonce'), 'nonce'),
      publicKey: optionalBytes(payload.get('public_key'), 'public_key'),
    },
  }
}

function same(actual: Uint8Array | null, expected: Uint8Array | null): boolean {
  if (actual === null || expected === null) return actual === expected
  return equalBytes(actual, expected)
}

/** Verifies a document. Throws AttestationRefused with the reason, and other errors on malformed bytes. */
export async function verifyNitro(
  { crypto, nowMs }: AttestationContext,
  ledger: Ledger,
  document: Uint8Array,
  { binding, policy }: { readonly binding: NitroBinding; readonly policy: NitroPolicy },
): Promise<void> {
  if (document.length > MAX_DOCUMENT_LENGTH) throw new SyntaxError('the document is too long')
  const envelope = decodeCoseSign1(document)
  const payload = parsePayload(envelope.payload)
  const chain = payload.chain.map(parseCertificate)
  const roots = policy.roots ?? AWS_NITRO_ROOTS
  await verifyChain(crypto, ledger, chain, {
    name: 'AWS Nitro',
    roots,
    nowMs,
    leafUsage: USAGE.digitalSignature,
  })
  const key = chain[0]?.key
  const signed = signedBytes(envelope.protectedHeader, envelope.payload)
  ledger.require(
    key?.type === 'ecdsa' &&
      key.curve === 'P-384' &&
      (await crypto.verifyEcdsa(key.curve, key.point, envelope.signature, signed)),
    "the document is signed with the enclave's key",
    "the document's signature does not hold",
  )
  const { timestampMs, registers } = payload
  ledger.require(
    timestampMs <= nowMs + MAX_AHEAD_MS && timestampMs >= nowMs - MAX_AGE_MS,
    'the document was made within the last three hours',
    'the document was made in the future or more than three hours ago',
  )
  ledger.require(
    same(payload.binding.userData, binding.userData),
    'user_data is the expected one',
    'user_data is not the hash of this statement',
  )
  ledger.require(
    same(payload.binding.nonce, binding.nonce),
    'nonce is the expected one',
    "nonce is not the dispatcher's seed",
  )
  ledger.require(
    same(payload.binding.publicKey, binding.publicKey),
    'public_key is the expected one',
    'public_key is not the expected one',
  )
  const image = registers.get('pcr0')
  ledger.require(
    image !== undefined && image.some((byte) => byte !== 0),
    'the enclave does not run in debug mode',
    'the enclave runs in debug mode: PCR0 is zero',
  )
  requireMeasurement(ledger, registers, policy.measurements)
}
