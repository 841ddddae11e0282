/** Commitments of a header besides the chain of blocks: transactions, results, parameters, evidence. */
import { concatBytes } from '../../base/bytes.ts'
import type { Sha256 } from './crypto.ts'
import { merkleProof, merkleRoot, type MerkleProof } from './merkle.ts'
import { bytesField, varintField, writeBytesField, writeVarintField } from './protobuf.ts'

/** `data_hash`: Merkle root over the SHA-256 of each transaction. */
export function dataHash(sha256: Sha256, txs: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(sha256, txs.map(sha256))
}

/** Proof that a transaction is in a block, against `data_hash`; the leaf is its SHA-256. */
export function transactionProof(
  sha256: Sha256,
  txs: readonly Uint8Array[],
  index: number,
): MerkleProof {
  return merkleProof(sha256, txs.map(sha256), index)
}

/** The part of an ExecTxResult that every node must agree on. */
export type DeterministicResult = {
  readonly code: number
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

// Leaves are written into this buffer: each transaction has one, with a hash as its data. Three varints take at most
// eight bytes each.
const leaf = new Uint8Array(96)
const LONGEST_DATA = 32

const isExact = (value: bigint): boolean => value >= 0n && value <= Number.MAX_SAFE_INTEGER

/** The leaf of a result: ExecTxResult {code = 1, data = 2, gas_wanted = 5, gas_used = 6} without anything else. */
export function encodeResultLeaf(result: DeterministicResult): Uint8Array {
  const { code, data, gasWanted, gasUsed } = result
  if (data.length > LONGEST_DATA || code < 0 || !isExact(gasWanted) || !isExact(gasUsed))
    return concatBytes(
      varintField(1, code),
      bytesField(2, data),
      varintField(5, gasWanted),
      varintField(6, gasUsed),
    )
  let end = writeVarintField(leaf, 0, 1, code)
  end = writeBytesField(leaf, end, 2, data)
  end = writeVarintField(leaf, end, 5, Number(gasWanted))
  end = writeVarintField(leaf, end, 6, Number(gasUsed))
  return leaf.slice(0, end)
}

/** `last_results_hash` of the next header. */
export function resultsHash(sha256: Sha256, results: readonly DeterministicResult[]): Uint8Array {
  return merkleRoot(sha256, results.map(encodeResultLeaf))
}

/** `consensus_hash`: SHA-256 of HashedParams {block_max_bytes = 1, block_max_gas = 2}. */
export function consensusParamsHash(
  sha256: Sha256,
  block: { readonly maxBytes: bigint; readonly maxGas: bigint },
): Uint8Array {
  return sha256(concatBytes(varintField(1, block.maxBytes), varintField(2, block.maxGas)))
}

/** `evidence_hash`: Merkle root over the records of evidence, without their oneof wrapper. */
export function evidenceHash(sha256: Sha256, evidence: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(sha256, evidence)
}
