/** EIP-55: addresses whose letter case carries a checksum. */
import { utf8 } from './bytes.ts'
import { toHexDigits, type Hex } from './hex.ts'
import { keccak256 } from './keccak.ts'

/** The EIP-55 text of a 20-byte address. */
export function toChecksumAddress(address: Uint8Array): Hex {
  const digits = toHexDigits(address)
  const hash = toHexDigits(keccak256(utf8(digits)))
  let out: Hex = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i)
    out += hash.charAt(i) >= '8' ? digit.toUpperCase() : digit
  }
  return out
}
