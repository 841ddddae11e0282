/**
 * Parameter schemas and result encoders that many methods share. zod parses parameters; plain functions encode results.
 */
import { z } from 'zod'
import { scalarText, text } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { toHex, tryFromHex } from '../base/hex.ts'
import { toQuantity, tryFromQuantity } from '../base/quantity.ts'
import { accepting } from './accept.ts'
import { ofWhole, unfit } from './goWords.ts'
import type { Result } from './method.ts'
import { dataShape, quantityShape } from './shapes.ts'

/** 0x and 64 digits. */
const MAX_QUANTITY_LENGTH = 66

/** Of a text that is not even hex, in the order in which go-ethereum looks. */
export function faultOfHex(text: string): string | undefined {
  if (!/^0x/i.test(text)) return 'hex string without 0x prefix'
  return text.length % 2 === 1 ? 'hex string of odd length' : undefined
}

function bytesOf(
  text: string,
  context: z.RefinementCtx,
  type: string,
  length?: number,
): Uint8Array {
  const bytes = tryFromHex(text)
  if (bytes !== undefined && (length === undefined || bytes.length === length)) return bytes
  const fault = faultOfHex(text)
  const isWrongLength = length !== undefined && text.length - 2 !== length * 2
  const message =
    fault === undefined && isWrongLength
      ? ofWhole(`hex string has length ${text.length - 2}, want ${length * 2} for ${type}`)
      : unfit(fault ?? 'invalid hex string', type)
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

function fixedBytesOf(value: unknown, size: number): Uint8Array | undefined {
  return typeof value === 'string' && value.length === 2 + 2 * size ? tryFromHex(value) : undefined
}

/** DATA of any length, as bytes. */
export const data = accepting(
  text(BOUNDS.data, unfit('non-string', 'hexutil.Bytes'))
    .transform((digits, context) => bytesOf(digits, context, 'hexutil.Bytes'))
    .meta({ description: 'DATA' }),
  (value) =>
    typeof value === 'string' && value.length <= BOUNDS.data ? tryFromHex(value) : undefined,
)
/** DATA of 20 bytes; any letter case, checksums are not enforced. */
export const address = accepting(
  scalarText(unfit('non-string', 'common.Address'))
    .transform((text, context) => bytesOf(text, context, 'common.Address', 20))
    .meta({ description: 'address (DATA, 20 bytes)' }),
  (value) => fixedBytesOf(value, 20),
)
/** DATA of 32 bytes. */
export const hash = accepting(
  scalarText(unfit('non-string', 'common.Hash'))
    .transform((text, context) => bytesOf(text, context, 'common.Hash', 32))
    .meta({ description: 'hash (DATA, 32 bytes)' }),
  (value) => fixedBytesOf(value, 32),
)
function quantityFault(text: string): string {
  if (!/^0x/i.test(text)) return 'hex string without 0x prefix'
  if (text.length === 2) return 'hex string "0x"'
  if (tryFromQuantity(text) !== undefined) return 'hex number > 256 bits'
  return /^0x0/i.test(text) ? 'hex number with leading zero digits' : 'invalid hex string'
}

/** The same as part of another form: what is wrong with it is said as it is. */
export const plainHash = scalarText()
  .transform((text, context) => {
    const bytes = tryFromHex(text)
    if (bytes?.length === 32) return bytes
    const fault = faultOfHex(text)
    const length = `hex string has length ${text.length - 2}, want 64 for Hash`
    const message = fault ?? (text.length === 66 ? 'invalid hex string' : length)
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .meta({ description: 'hash (DATA, 32 bytes)' })

/** QUANTITY, as bigint. `type` is the one of go-ethereum into which it is read; undefined if it is read from the text. */
const quantityOf = (type: string | undefined) => {
  const message = (fault: string) => (type === undefined ? fault : unfit(fault, type))
  return accepting(
    scalarText(message(type === undefined ? 'hex string without 0x prefix' : 'non-string'))
      .transform((text, context) => {
        const value = tryFromQuantity(text)
        if (value !== undefined && value < 1n << 256n) return value
        context.addIssue({ code: 'custom', message: message(quantityFault(text)) })
        return z.NEVER
      })
      .meta({ description: 'QUANTITY' }),
    (value) =>
      typeof value === 'string' && value.length <= MAX_QUANTITY_LENGTH
        ? tryFromQuantity(value)
        : undefined,
  )
}

/** QUANTITY, as bigint. */
export const quantity = quantityOf('hexutil.Big')
/** QUANTITY that go-ethereum reads into 64 bits; its range is for the caller to check. */
export const uint64Quantity = quantityOf('hexutil.Uint64')
/** The index of something in a block. */
export const index = quantityOf('hexutil.Uint')
/** QUANTITY that is part of another form: what is wrong with it is said as it is. */
export const plainQuantity = quantityOf(undefined)

/** Encodes a QUANTITY. */
export const quantityResult: Result<bigint | number> = { schema: quantityShape, encode: toQuantity }
/** Encodes DATA. */
export const dataResult: Result<Uint8Array> = { schema: dataShape, encode: toHex }
/** Encodes true or false. */
export const booleanResult: Result<boolean> = { schema: z.boolean(), encode: (value) => value }
