/** Result encoders that several methods share, beyond those of wire/schema.ts. */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import type { Result } from '../../wire/method.ts'
import { addressShape, dataShape, hashShape, quantityShape } from '../../wire/shapes.ts'

/** Encodes a text. */
export const textResult: Result<string> = { schema: z.string(), encode: (text) => text }

/** Encodes a JSON number. */
export const numberResult: Result<number> = { schema: z.int(), encode: (value) => value }

/** Encodes null: done, and there is nothing to report. */
export const nothingResult: Result<void> = { schema: z.null(), encode: () => null }

/** Encodes an address. */
export const addressResult: Result<Uint8Array> = { schema: addressShape, encode: toHex }

/** Encodes a list of addresses. */
export const addressesResult: Result<readonly Uint8Array[]> = {
  schema: z.array(addressShape),
  encode: (addresses) => addresses.map(toHex),
}

/** Encodes a hash. */
export const hashResult: Result<Uint8Array> = { schema: hashShape, encode: toHex }

/** Encodes a QUANTITY, or null where there is nothing to count. */
export const optionalQuantityResult: Result<bigint | number | undefined> = {
  schema: quantityShape.nullable(),
  encode: (value) => (value === undefined ? null : toQuantity(value)),
}

/** Encodes DATA; 0x where there is nothing, as go-ethereum does for raw transactions. */
export const optionalDataResult: Result<Uint8Array | undefined> = {
  schema: dataShape,
  encode: (bytes) => (bytes ? toHex(bytes) : '0x'),
}

/** Always encodes null: this does not exist on this chain. */
export const absentResult: Result<undefined> = { schema: z.null(), encode: () => null }

/** Encodes the result of a tracer, which is already JSON. */
export const traceResult: Result<unknown> = { schema: z.unknown(), encode: (trace) => trace }
