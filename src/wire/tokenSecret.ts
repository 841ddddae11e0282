/** The secret under which tokens are signed: 32 bytes as hex in a file of its own, as the Engine API has it (D13). */
import { randomBytes } from 'node:crypto'
import { loadOrCreateSecret } from '../base/secretFile.ts'

/** The 32-byte secret of a file; a missing one is made with mode 0600. Throws UserError on a readable or malformed file. */
export function loadTokenSecret(file: string): Uint8Array {
  return loadOrCreateSecret(file, {
    what: '32 bytes as hex',
    advice: `Remove it (the next start makes a new one) or run: openssl rand -hex 32 > ${file}`,
    isValid: (secret) => secret.length === 32,
    generate: () => randomBytes(32),
  })
}
