/** The secret under which tokens are signed: 32 bytes as hex in a file of its own, as the Engine API has it (D13). */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../base/errors.ts'
import { writeFileAtomic } from '../base/files.ts'
import { toHexDigits, tryFromHexDigits } from '../base/hex.ts'

function readSecret(file: string): Uint8Array | undefined {
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
    const text = fs.readFileSync(handle, 'utf8').trim()
    const secret = tryFromHexDigits(text, text.startsWith('0x') ? 2 : 0)
    if (secret?.length !== 32)
      throw new UserError(
        `${file} does not hold 32 bytes as hex`,
        `Remove it (the next start makes a new one) or run: openssl rand -hex 32 > ${file}`,
      )
    return secret
  } finally {
    fs.closeSync(handle)
  }
}

/** The secret of a file; a missing one is made with mode 0600. Throws UserError on a readable or malformed file. */
export function loadOrCreateSecret(file: string): Uint8Array {
  const existing = readSecret(file)
  if (existing !== undefined) return existing
  const secret = new Uint8Array(randomBytes(32))
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, `${toHexDigits(secret)}\n`)
  return secret
}
