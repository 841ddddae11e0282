/** Transactions and their results in CometBFT's JSON: answers of `tx`, `block` and `block_results`. */
import { z } from 'zod'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { DeterministicResult } from '../data.ts'
import type { MerkleProof } from '../merkle.ts'
import { base64, heightText, hexDigits, int32, int64 } from './scalars.ts'

const index = z
  .string()
  .regex(/^\d{1,10}$/, 'expected an index as a decimal integer in a string')
  .transform(Number)

const merkleProof = z
  .object({
    total: index,
    index,
    leaf_hash: base64,
    // A tree of 2^53 leaves has 53 levels.
    aunts: z.array(base64).max(53, 'too many aunts').nullish(),
  })
  .transform((json): MerkleProof => ({
    total: json.total,
    index: json.index,
    leafHash: json.leaf_hash,
    aunts: json.aunts ?? [],
  }))

/** `tx` with `prove`. */
export const provenTxAnswer = z.object({
  height: heightText,
  tx: base64,
  proof: z.object({ root_hash: hexDigits, proof: merkleProof }),
})

/** The transactions of `block`. */
export const blockTxsAnswer = z.object({
  block: z.object({ data: z.object({ txs: z.array(base64).nullish() }) }),
})

// The part of a result that all nodes agree on; logs and events are arbitrary.
const result = z
  .object({
    code: int32,
    data: base64.nullish(),
    gas_wanted: int64,
    gas_used: int64,
  })
  .transform((json): DeterministicResult => ({
    code: json.code,
    data: json.data ?? EMPTY_BYTES,
    gasWanted: json.gas_wanted,
    gasUsed: json.gas_used,
  }))

/** `block_results`. */
export const blockResultsAnswer = z.object({
  height: heightText,
  txs_results: z.array(result).nullable(),
})
