/** COSE_Sign1 (RFC 9052, 4.2) with ES384, the envelope of AWS Nitro documents and of our software ones. */
import { p384 } from '@noble/curves/nist.js'
import { sha384 } from '@noble/hashes/sha2.js'
import { decodeCbor, encodeCbor } from './cbor.ts'

const ALGORITHM_HEADER = 1
const ES384 = -35

/** A parsed envelope; nothing in it is verified yet. */
export type CoseSign1 = {
  readonly protectedHeader: Uint8Array
  readonly payload: Uint8Array
  /** r || s, 48 bytes each. */
  readonly signature: Uint8Array
}

/** The protected header with only ES384. */
export const ES384_HEADER: Uint8Array = encodeCbor(new Map([[ALGORITHM_HEADER, ES384]]))

/** The bytes that the signature is over (Sig_structure, RFC 9052 4.4), without external data. */
export function signedBytes(protectedHeader: Uint8Array, payload: Uint8Array): Uint8Array {
  return encodeCbor(['Signature1', protectedHeader, new Uint8Array(0), payload])
}

/** The envelope as bytes (untagged, as Nitro writes it). */
export function encodeCoseSign1({ protectedHeader, payload, signature }: CoseSign1): Uint8Array {
  return encodeCbor([protectedHeader, new Map(), payload, signature])
}

/** Parses an envelope. Throws CborError, or SyntaxError if the CBOR has another structure or algorithm. */
export function decodeCoseSign1(bytes: Uint8Array): CoseSign1 {
  const value = decodeCbor(bytes)
  if (!Array.isArray(value) || value.length !== 4)
    throw new SyntaxError('the document is not a COSE_Sign1 envelope')
  const [protectedHeader, unprotected, payload, signature] = value as readonly unknown[]
  if (
    !(unprotected instanceof Map && unprotected.size === 0) ||
    !(protectedHeader instanceof Uint8Array) ||
    !(payload instanceof Uint8Array) ||
    !(signature instanceof Uint8Array)
  )
    throw new SyntaxError('the document is not a COSE_Sign1 envelope')
  const header = decodeCbor(protectedHeader)
  if (!(header instanceof Map) || header.get(ALGORITHM_HEADER) !== ES384)
    throw new SyntaxError('the document is not signed with ES384')
  return { protectedHeader, payload, signature }
}

/** Whether the envelope carries a signature of this P-384 key (SEC1 bytes). Never throws. */
export function verifyCoseSign1(envelope: CoseSign1, publicKey: Uint8Array): boolean {
  try {
    const digest = sha384(signedBytes(envelope.protectedHeader, envelope.payload))
    // Other ES384 signers do not normalise s, so high s is allowed.
    return p384.verify(envelope.signature, digest, publicKey, { prehash: false, lowS: false })
  } catch {
    return false
  }
}
