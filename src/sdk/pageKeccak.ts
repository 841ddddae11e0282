/** Keccak-256 in plain JavaScript: bundlers for pages take it for base/keccak, since a page may forbid WebAssembly (D150). */
import { keccak_256 } from '@noble/hashes/sha3.js'

/** The 32-byte Keccak-256 digest of the bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** The digest of the concatenation of byte strings. */
export function keccak256OfParts(parts: readonly Uint8Array[]): Uint8Array {
  const hash = keccak_256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}
