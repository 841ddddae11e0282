/** Verifies, from trusted headers, that a transaction is in a block, and its result. Pure. */
import { equalBytes } from '../../base/bytes.ts'
import { ProofError } from '../mpt.ts'
import type { Sha256 } from './crypto.ts'
import { dataHash, resultsHash, type DeterministicResult } from './data.ts'
import { verifyMerkleProof, type MerkleProof } from './merkle.ts'
import type { Header } from './types.ts'

/** Checks that `tx` is the transaction at the proof's index of the header's block. Throws ProofError. */
export function verifyTransactionProof(
  sha256: Sha256,
  header: Header,
  tx: Uint8Array,
  proof: MerkleProof,
): void {
  if (!verifyMerkleProof(sha256, header.dataHash, sha256(tx), proof))
    throw new ProofError(
      `the proof does not lead from the transaction to data_hash of header ${header.height}`,
    )
}

/** Checks that these are all transactions of the header's block, in order. Throws ProofError. */
export function verifyTransactions(
  sha256: Sha256,
  header: Header,
  txs: readonly Uint8Array[],
): void {
  if (!equalBytes(dataHash(sha256, txs), header.dataHash))
    throw new ProofError(
      `the transactions of block ${header.height} do not have the header's data_hash`,
    )
}

/** Checks that these are the results of the block before the header, in order. Throws ProofError. */
export function verifyResults(
  sha256: Sha256,
  next: Header,
  results: readonly DeterministicResult[],
): void {
  if (!equalBytes(resultsHash(sha256, results), next.lastResultsHash))
    throw new ProofError(
      `the results of block ${next.height - 1} do not have last_results_hash of header ${next.height}`,
    )
}
