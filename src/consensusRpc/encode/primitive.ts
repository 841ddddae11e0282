/** Scalars as CometBFT v0.38 writes them in JSON. Hashes and addresses are upper-case hex digits, and '' when empty. */
import { toBase64 } from '../../base/base64.ts'

/** 64-bit integers are decimal strings; 32-bit ones are JSON numbers and need no encoder. */
export function decimal(value: number | bigint): string {
  return value.toString()
}

/** Other bytes: base64, null when empty. */
export function base64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : toBase64(bytes)
}

/** Go writes a nil slice as null. */
export function listOrNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}

/**
 * Drops members with Go's zero values, as the struct tag `omitempty` does. Integers written as strings count as
 * integers.
 */
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
