/** JSON files in the shapes of CometBFT (D22), read with errors that name file and key. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { fromBase64 } from '../../base/base64.ts'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'
import { tryFromHexDigits } from '../../base/hex.ts'

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own words quote the text, which may be a key.
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

/** A decimal 64-bit integer in a string, as amino JSON writes int64. */
export const int64 = z
  .string()
  .regex(/^-?\d{1,19}$/, 'expected a decimal integer in a string')
  .transform(BigInt)
  .refine((value) => BigInt.asIntN(64, value) === value, 'does not fit into 64 bits')

/** Like `int64`, for heights: not negative and exact as a number. */
export const heightText = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a height as a decimal integer in a string')
  .transform(Number)

/** Bytes in base64. */
export const base64 = z.string().transform((text, context) => {
  const bytes = fromBase64(text)
  if (bytes !== undefined) return bytes
  context.addIssue({ code: 'custom', message: 'expected base64' })
  return z.NEVER
})

/** Bytes in hexadecimal without a prefix, upper or lower case. */
export const hexDigits = z.string().transform((text, context) => {
  const bytes = tryFromHexDigits(text)
  if (bytes !== undefined) return bytes
  context.addIssue({ code: 'custom', message: 'expected hexadecimal digits' })
  return z.NEVER
})
