/** The secret that an operator and its worker share, kept in a file of mode 0600. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { toHexDigits } from '../../base/hex.ts'
import { loadOrCreateSecret } from '../../base/secretFile.ts'

/**
 * The secret as 64 hex digits. The first of the two to start creates it; both may start at the same time. Throws
 * UserError when other users can read the file, or when its contents are not a secret.
 */
export function loadWorkerSecret(file: string): string {
  const secret = loadOrCreateSecret(file, {
    what: 'a worker secret (64 hex digits)',
    advice: 'Remove it and restart worker and operator: a new one is created.',
    isValid: (bytes) => bytes.length === 32,
    generate: () => randomBytes(32),
  })
  return toHexDigits(secret)
}

/** Whether an Authorization header contains the secret, in constant time. */
export function isAuthorized(header: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${secret}`))
}
