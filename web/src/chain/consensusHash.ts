/** The hash by which the consensus engine knows a transaction (D21). */
import { bytesToHex, hexToBytes } from '../format/hex.ts'
import { sha256 } from '../proof/hashes.ts'

/** SHA-256 of the raw transaction, in upper case as CometBFT writes it. */
export function consensusHashOf(raw: string): string {
  return bytesToHex(sha256(hexToBytes(raw)))
    .slice(2)
    .toUpperCase()
}
