/**
 * Ed25519 by the rule of ZIP-215, which CometBFT verifies votes by: signatures that are crafted with points of small order
 * count as well. All who judge a commit must judge each of its signatures alike.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { verifyEd25519 } from './ed25519.ts'

/**
 * Whether `signature` (64 bytes) is the key's (32 bytes) over the message, by ZIP-215. Malformed input is false. What OpenSSL
 * accepts, ZIP-215 does too, so that the slower rule is asked only about the rest.
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
