/**
 * Ed25519 by the rule of ZIP-215, by which CometBFT verifies votes: signatures crafted with points of small order are
 * valid too. All verifiers of a commit must agree on each of its signatures.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { verifyEd25519 } from './ed25519.ts'

/**
 * Whether `signature` (64 bytes) is the key's (32 bytes) over the message, by ZIP-215. Malformed input is false.
 * ZIP-215 accepts everything that OpenSSL does, so the slower rule runs only for the rest.
 */
export function verifyEd25519Zip215(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  if (verifyEd25519(publicKey, message, signature)) return true
  return ed25519.verify(signature, message, publicKey, { zip215: true })
}
