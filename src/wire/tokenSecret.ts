/** The secret that signs tokens: 32 bytes as hex in a file of its own, as in the Engine API (D13). */
import { randomBytes } from 'node:crypto'
import { loadOrCreateSecret } from '../base/secretFile.ts'

/**
 * The 32-byte secret in a file; a missing one is created with mode 0600. Throws UserError when others can read the file
 * or it is malformed.
 */
export function loadTokenSecret(file: string): Uint8Array {
  return loadOrCreateSecret(file, {
    what: '32 bytes as hex',
    advice: `Remove it (the next start creates a new one) or run: openssl rand -hex 32 > ${file}`,
    isValid: (secret) => secret.length === 32,
    generate: () => randomBytes(32),
  })
}
