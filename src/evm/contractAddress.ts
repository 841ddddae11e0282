/** Addresses of created contracts. */
import { bigintToBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { encodeRlp } from '../base/rlp.ts'

/** The address of the contract that a transaction with this sender and nonce creates (Yellow Paper, section 7). */
export function contractAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([sender, bigintToBytes(nonce)])).subarray(12)
}
