/** Configuration values that are bytes in hexadecimal. */
import { tryFromAnyHex } from '../base/hex.ts'
import type { ValueType } from './key.ts'
import { silent } from './url.ts'

/** Parses hex digits, with or without 0x, of exactly the given number of bytes; otherwise undefined. */
export function hexBytes(raw: string, length: number): Uint8Array | undefined {
  const bytes = tryFromAnyHex(raw)
  return bytes?.length === length ? bytes : undefined
}

/** An address of 20 bytes; an empty string means `otherwise`. */
export function addressOr(otherwise: string): ValueType<Uint8Array> {
  return {
    expects: `${address.expects}, or empty`,
    parse: (raw) => address.parse(raw === '' ? otherwise : raw),
  }
}

/** An address of 20 bytes. */
export const address = silent('an address: 40 hex digits, with or without 0x, in quotes', (raw) =>
  hexBytes(raw, 20),
)

/** An address of 20 bytes; undefined where it is empty. */
export const optionalAddress: ValueType<Uint8Array | undefined> = {
  expects: `${address.expects}, or empty`,
  parse: (raw) => (raw === '' ? undefined : address.parse(raw)),
}
