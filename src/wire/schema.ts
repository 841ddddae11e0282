/**
 * Parameter schemas and result encoders that many methods share. zod parses parameters; plain functions encode results.
 */
import { z } from 'zod'
import { scalarText, text } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { toHex, tryFromHex } from '../base/hex.ts'
import { toQuantity, tryFromQuantity } from '../base/quantity.ts'
import { accepting } from './accept.ts'
import type { Result } from './method.ts'
import { dataShape, quantityShape } from './shapes.ts'

/** 0x and 64 digits. */
const MAX_QUANTITY_LENGTH = 66

function bytesOf(text: string, context: z.RefinementCtx, length?: number): Uint8Array {
  const bytes = tryFromHex(text)
  if (bytes === undefined) {
    const message = /^0x/i.test(text)
      ? text.length % 2 === 1
        ? 'hex string of odd length'
        : 'invalid hex string'
      : 'hex string without 0x prefix'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  if (length !== undefined && bytes.length !== length) {
    context.addIssue({
      code: 'custom',
      message: `hex string has length ${text.length - 2}, want ${length * 2}`,
    })
    return z.NEVER
  }
  return bytes
}

function fixedBytesOf(value: unknown, size: number): Uint8Array | undefined {
  return typeof value === 'string' && value.length === 2 + 2 * size ? tryFromHex(value) : undefined
}

/** DATA of any length, as bytes. */
export const data = accepting(
  text(BOUNDS.data)
    .transform((digits, context) => bytesOf(digits, context))
    .meta({ description: 'DATA' }),
  (value) =>
    typeof value === 'string' && value.length <= BOUNDS.data ? tryFromHex(value) : undefined,
)
/** DATA of 20 bytes; any letter case, checksums are not enforced. */
export const address = accepting(
  scalarText()
    .transform((text, context) => bytesOf(text, context, 20))
    .meta({ description: 'address (DATA, 20 bytes)' }),
  (value) => fixedBytesOf(value, 20),
)
/** DATA of 32 bytes. */
export const hash = accepting(
  scalarText()
    .transform((text, context) => bytesOf(text, context, 32))
    .meta({ description: 'hash (DATA, 32 bytes)' }),
  (value) => fixedBytesOf(value, 32),
)
/** QUANTITY, as bigint. */
export const quantity = accepting(
  scalarText()
    .transform((text, context) => quantityOf(text, context))
    .meta({ description: 'QUANTITY' }),
  (value) =>
    typeof value === 'string' && value.length <= MAX_QUANTITY_LENGTH
      ? tryFromQuantity(value)
      : undefined,
)

function quantityOf(text: string, context: z.RefinementCtx): bigint {
  const value = tryFromQuantity(text)
  if (value !== undefined && value < 1n << 256n) return value
  const message =
    value !== undefined
      ? 'hex number > 256 bits'
      : text === '0x'
        ? 'empty hex string'
        : /^0x0/i.test(text)
          ? 'hex number with leading zero digits'
          : /^0x/i.test(text)
            ? 'invalid hex string'
            : 'hex string without 0x prefix'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** Encodes a QUANTITY. */
export const quantityResult: Result<bigint | number> = { schema: quantityShape, encode: toQuantity }
/** Encodes DATA. */
export const dataResult: Result<Uint8Array> = { schema: dataShape, encode: toHex }
/** Encodes true or false. */
export const booleanResult: Result<boolean> = { schema: z.boolean(), encode: (value) => value }
