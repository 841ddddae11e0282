/** Scalars as CometBFT's JSON writes them, checked and read. zod names the field that is wrong. */
import { z } from 'zod'
import { fromBase64 } from '../../../base/base64.ts'
import { tryFromHexDigits } from '../../../base/hex.ts'
import { parseTime } from '../time.ts'

function read<T>(expected: string, parse: (text: string) => T | undefined) {
  return z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: `expected ${expected}` })
    return z.NEVER
  })
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
export const base64 = read('base64', fromBase64)

/** Bytes in hexadecimal without a prefix, upper or lower case. */
export const hexDigits = read('hexadecimal digits', (text) => tryFromHexDigits(text))

/** An instant as RFC 3339 text, in nanoseconds. */
export const timeText = read('a time such as 2026-01-31T12:00:00Z', parseTime)

/** A non-negative 32-bit integer, which JSON holds as a number. */
export const int32 = z.number().int().min(0).max(2_147_483_647)

/** An ed25519 public key; secp256k1 keys are not used on this chain (D20). */
export const publicKey = z.object({
  type: z.literal('tendermint/PubKeyEd25519', 'only tendermint/PubKeyEd25519 is supported'),
  value: base64.refine((bytes) => bytes.length === 32, 'expected 32 bytes'),
})
