/** Scalars as CometBFT v0.38 writes them in JSON (research/comet.md 1.2). */
import { toHexDigits } from '../../../base/hex.ts'

/** 64-bit integers are decimal texts; 32-bit ones are JSON numbers and need no encoder. */
export function decimal(value: number | bigint): string {
  return value.toString()
}

/** Hashes and addresses: upper-case hex, empty text when there is none. */
export function upperHex(bytes: Uint8Array): string {
  return toHexDigits(bytes).toUpperCase()
}

/** Other bytes: base64, null when there are none. */
export function base64(bytes: Uint8Array): string | null {
  return bytes.length === 0
    ? null
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}

/** Go writes a list that was never made as null. */
export function listOrNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}

/** Drops members with Go's zero values, as the struct tag `omitempty` does. Texts of integers count as integers. */
export function omitEmpty(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== '' &&
        value !== '0' &&
        value !== 0 &&
        value !== false &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}
