/** Secrets in files of their own: hex digits, mode 0600, created at first use. */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from './errors.ts'
import { createFile } from './files.ts'
import { toHexDigits, tryFromAnyHex } from './hex.ts'

/** The kind of secret that a file holds. */
export type SecretKind = {
  /** Completes "… does not hold …". */
  readonly what: string
  /** What to do when the file holds anything else. */
  readonly advice: string
  isValid(secret: Uint8Array): boolean
  /** A new secret from the system's random generator. */
  generate(): Uint8Array
}

function readSecret(file: string, { what, advice, isValid }: SecretKind): Uint8Array | undefined {
  let handle: number
  try {
    handle = fs.openSync(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    if ((fs.fstatSync(handle).mode & 0o077) !== 0)
      throw new UserError(
        `${file} can be read by other users`,
        `Run: chmod 600 ${file} (and replace the secret if others had access).`,
      )
    const secret = tryFromAnyHex(fs.readFileSync(handle, 'utf8').trim())
    if (secret !== undefined && isValid(secret)) return secret
    throw new UserError(`${file} does not contain ${what}`, advice)
  } finally {
    fs.closeSync(handle)
  }
}

/**
 * The secret in a file, which is created when it is missing. Processes that create it at the same time all end up with
 * the same secret. Throws UserError when other users can read the file, or when it holds something else; a secret is
 * never repeated in an error.
 */
export function loadOrCreateSecret(file: string, kind: SecretKind): Uint8Array {
  const existing = readSecret(file, kind)
  if (existing !== undefined) return existing
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  createFile(file, `${toHexDigits(kind.generate())}\n`)
  const created = readSecret(file, kind)
  if (created === undefined)
    throw new UserError(`${file} disappeared while it was being created`, 'Try again.')
  return created
}
