/** Ids of filters and subscriptions: 0x and 32 random hex digits (D45). */
import { randomBytes } from 'node:crypto'
import { toHex, type Hex } from '../base/hex.ts'

/** A new id. Its first digit is never 0, so it is also a valid QUANTITY, as execution-apis requires of filter ids. */
export function randomId(): Hex {
  const bytes = randomBytes(16)
  if ((bytes[0] as number) < 0x10) bytes[0] = 0x10 | (bytes[0] as number)
  return toHex(bytes)
}
