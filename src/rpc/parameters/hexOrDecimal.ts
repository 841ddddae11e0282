/** A number as go-ethereum reads its HexOrDecimal64: a JSON integer, or a text in decimal or with 0x. */
import { z } from 'zod'
import { scalarText } from '../../base/boundedSchema.ts'

const MAX = (1n << 64n) - 1n
/** Unlike a QUANTITY it may have leading zeros. */
const FORM = /^(?:0x[0-9a-f]+|\d+)$/i

/** From 0 to 2^64 - 1. */
export const hexOrDecimal = z
  .union([z.int().nonnegative(), scalarText()])
  .transform((given, context): bigint => {
    if (given === '') return 0n
    const value = FORM.test(String(given)) ? BigInt(given) : undefined
    if (value !== undefined && value <= MAX) return value
    const shown = String(given).slice(0, 100)
    context.addIssue({ code: 'custom', message: `invalid hex or decimal integer "${shown}"` })
    return z.NEVER
  })
  .meta({ description: 'integer: JSON integer, decimal digits, or hex digits with 0x' })
