/** Addresses in the spelling that shows mistakes (EIP-55). */
import { keccak256 } from '../proof/hashes.ts'
import { bytesToHex } from './hex.ts'

/** The address with upper-case digits where its hash says so. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2)
  const spelt = Array.from(digits, (digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  )
  return `0x${spelt.join('')}`
}
