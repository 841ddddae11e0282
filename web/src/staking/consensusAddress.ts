/** How consensus names a key. */
import { bytesToHex, hexToBytes } from '../format/hex.ts'
import { sha256 } from '../proof/hashes.ts'

/** The first 20 bytes of the SHA-256 of a public key (hex), with 0x in front. */
export function consensusAddressOf(publicKey: string): string {
  return bytesToHex(sha256(hexToBytes(publicKey)).subarray(0, 20))
}
