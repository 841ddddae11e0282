/** Proofs that a transaction is in a block, as JSON. */
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { dataHash, transactionProof } from '../../proof/comet/data.ts'
import { base64, decimal } from './primitive.ts'

/** The proof of the transaction at an index of a block's transactions, against the header's data_hash. */
export function encodeTxProof(txs: readonly Uint8Array[], index: number): object {
  const proof = transactionProof(sha256, txs, index)
  return {
    root_hash: toUpperHexDigits(dataHash(sha256, txs)),
    data: base64(txs[index] ?? new Uint8Array(0)),
    proof: {
      total: decimal(proof.total),
      index: decimal(proof.index),
      leaf_hash: base64(proof.leafHash),
      aunts: proof.aunts.map(base64),
    },
  }
}
