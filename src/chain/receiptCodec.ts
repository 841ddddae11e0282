/** The EIP-2718 encoding of receipts: leaves of the receipts trie, and what a consensus result commits to (D6). */
import { bigintToBytes, concatBytes } from '../base/bytes.ts'
import { encodeRlp } from '../base/rlp.ts'
import type { Receipt } from './receipt.ts'

/** type || rlp([status, cumulativeGasUsed, bloom, logs]); without the type for legacy transactions. */
export function encodeReceipt(
  receipt: Pick<Receipt, 'type' | 'status' | 'cumulativeGasUsed' | 'logsBloom' | 'logs'>,
): Uint8Array {
  const payload = encodeRlp([
    bigintToBytes(BigInt(receipt.status)),
    bigintToBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload)
}
