/** Private keys of secp256k1: fresh ones, and those kept in a file. */
import { randomBytes } from 'node:crypto'
import { isPrivateKey } from './secp256k1.ts'
import { loadOrCreateSecret } from './secretFile.ts'

/** A fresh 32-byte private key from the system's random generator. */
export function generatePrivateKey(): Uint8Array {
  for (;;) {
    const key = new Uint8Array(randomBytes(32))
    if (isPrivateKey(key)) return key
  }
}

/**
 * The key in a file (64 hex digits, mode 0600), which is created when it is missing. `advice` says what to do when the
 * file holds something else. Throws UserError.
 */
export function loadOrCreatePrivateKey(file: string, advice: string): Uint8Array {
  return loadOrCreateSecret(file, {
    what: 'a private key of 64 hex digits',
    advice,
    isValid: isPrivateKey,
    generate: generatePrivateKey,
  })
}
