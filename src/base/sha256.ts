/** SHA-256 by node:crypto (D38). */
import { hash } from 'node:crypto'

const SIZE = 32

/** The 32-byte SHA-256 digest of the bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A digest as a buffer has memory of its own outside the heap, which doubles the time of a short hash.
  const text = hash('sha256', bytes, 'binary')
  const digest = new Uint8Array(SIZE)
  for (let at = 0; at < SIZE; at++) digest[at] = text.charCodeAt(at)
  return digest
}
