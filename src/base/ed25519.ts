/**
 * Ed25519 (RFC 8032) by node:crypto (D38). A private key is its 32-byte seed. Verification is OpenSSL's, stricter than the
 * ZIP-215 rule of CometBFT: they agree on every honest signature and differ only on crafted ones.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { concatBytes } from './bytes.ts'

// DER prefix of the raw key, for PKCS #8 (RFC 8410 section 7) and SubjectPublicKeyInfo (section 4).
const PKCS8_PREFIX = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)
const SPKI_PREFIX = Uint8Array.of(48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0)

/** A private key that is never exposed: its operations, and its public key (32 bytes). */
export type Ed25519Signer = {
  readonly publicKey: Uint8Array
  /** The 64-byte signature of the message. */
  sign(message: Uint8Array): Uint8Array
}

function rawPublicKey(key: KeyObject): Uint8Array {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return Uint8Array.from(der.subarray(SPKI_PREFIX.length))
}

/** A signer from a 32-byte seed. Throws RangeError when the seed has another length. */
export function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  if (seed.length !== 32) throw new RangeError('an ed25519 seed has 32 bytes')
  const der = Buffer.from(concatBytes(PKCS8_PREFIX, seed))
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  return {
    publicKey: rawPublicKey(key),
    sign: (message) => Uint8Array.from(sign(null, message, key)),
  }
}

/** A fresh 32-byte seed from the system's random generator. */
export function generateEd25519Seed(): Uint8Array {
  const { privateKey } = generateKeyPairSync('ed25519')
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return Uint8Array.from(der.subarray(PKCS8_PREFIX.length))
}

/** Whether `signature` (64 bytes) is the key's (32 bytes) over the message. Malformed input is false, never an error. */
export function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const key = createPublicKey({
    key: Buffer.from(concatBytes(SPKI_PREFIX, publicKey)),
    format: 'der',
    type: 'spki',
  })
  return verify(null, message, key, signature)
}
