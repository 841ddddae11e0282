/** X25519 key agreement (RFC 7748) by node:crypto. */
import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import { concatBytes } from './bytes.ts'

/** DER prefix of the raw key in SubjectPublicKeyInfo (RFC 8410 section 4). */
const SPKI_PREFIX = Uint8Array.of(48, 42, 48, 5, 6, 3, 43, 101, 110, 3, 33, 0)

export type X25519Pair = {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** The secret shared with the owner of a public key, 32 bytes. Throws for a key of low order or of another length. */
  agree(publicKey: Uint8Array): Uint8Array
}

/** A fresh pair for one handshake. */
export function generateX25519(): X25519Pair {
  const pair = generateKeyPairSync('x25519')
  const der = pair.publicKey.export({ format: 'der', type: 'spki' })
  return {
    publicKey: Uint8Array.from(der.subarray(SPKI_PREFIX.length)),
    agree(publicKey) {
      const key = Buffer.from(concatBytes(SPKI_PREFIX, publicKey))
      const theirs = createPublicKey({ key, format: 'der', type: 'spki' })
      return Uint8Array.from(diffieHellman({ privateKey: pair.privateKey, publicKey: theirs }))
    },
  }
}
