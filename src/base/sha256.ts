/** SHA-256 by node:crypto (D38). */
import { hash } from 'node:crypto'

/** The 32-byte SHA-256 digest of the bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = hash('sha256', bytes, 'buffer')
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length)
}
