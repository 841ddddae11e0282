/** JSON files in CometBFT's formats (D22); errors name file and key. */
import { readFileSync, statSync } from 'node:fs'
import type { z } from 'zod'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may be a key.
    throw new UserError(`${file} is not JSON`, 'Restore it from a backup.')
  }
}

/** Checks a text against a schema. Throws UserError with the first key that is wrong; values are never quoted. */
export function parseJsonFile<T>(file: string, text: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parseJson(file, text))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const key = issue?.path.join('.') ?? ''
  throw new UserError(`${file}: ${key === '' ? 'content' : key}: ${issue?.message ?? 'is wrong'}`)
}

/** Reads a file as text. Throws UserError when it is missing or unreadable; `advice` says what to do then. */
export function readTextFile(file: string, advice: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason =
      codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${messageOf(error)})`
    throw new UserError(`${file} ${reason}`, advice)
  }
}

/** Like `readTextFile`, for a file with a private key. Throws UserError when other users can read it. */
export function readPrivateFile(file: string, advice: string): string {
  const text = readTextFile(file, advice)
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new UserError(
      `${file} contains a private key and can be read by other users`,
      `Run: chmod 600 ${file} (and use a new key if others had access).`,
    )
  return text
}
