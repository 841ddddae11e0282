/** The secret that an operator and its worker share, kept in a file of mode 0600. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../../base/errors.ts'

/**
 * Reads the secret, or makes one where there is none. Whoever of the two starts first makes it; both may start at once.
 * Throws UserError when the file holds something else.
 */
export function loadOrCreateSecret(file: string): string {
  if (!fs.existsSync(file)) createSecret(file)
  const secret = fs.readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new UserError(
      `${file} does not hold a worker secret (64 hex digits)`,
      'Remove it and restart worker and operator: a new one is made.',
    )
  return secret
}

function createSecret(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  fs.writeFileSync(temporary, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // A link appears as a whole and never replaces a file, so both processes end with the same secret.
    fs.linkSync(temporary, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    fs.rmSync(temporary)
  }
}

/** Whether an Authorization header carries the secret. Takes the same time whatever it carries. */
export function isAuthorized(header: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${secret}`))
}
