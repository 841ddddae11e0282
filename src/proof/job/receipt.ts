/**
 * The receipt of one verified answer: what was assigned to whom, which statement came back, and when it was recorded. The
 * dispatcher signs it as EIP-712 typed data `Receipt`; its digest is a leaf of the anchored Merkle trees.
 */
import { z } from 'zod'
import { concatBytes, utf8 } from '../../base/bytes.ts'
import { toHex, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { MAX_MODEL_UNITS } from '../../base/modelName.ts'
import { address, bytes32, reviewTag } from './shapes.ts'
import { structBytes, type RecordDomain, type StructField } from './typedStruct.ts'

const VERSION = '2'

const count = z.number().int().min(0)

/** Hashes are 0x and 64 digits, times seconds since 1970. */
export const receipt = z.strictObject({
  jobId: bytes32,
  /** SHA-256 of the request; SHA-256 of the first round's seed and it is the job id. Zeros for older jobs. */
  requestHash: bytes32,
  /** As the job names it, with its pin (D58). */
  model: z.string().max(MAX_MODEL_UNITS),
  operator: address,
  round: count,
  seed: bytes32,
  /** The block that the draw binds (D32); 0 and zeros if there is none. */
  drawBlock: count,
  drawBlockHash: bytes32,
  tag: reviewTag,
  position: z.enum(['', 'before', 'after']),
  rangeStart: count,
  rangeEnd: count,
  rangeMax: count,
  /** Hash of the clock sent with the job. */
  jobClockHash: bytes32,
  /** Digest of the operator's statement. */
  statementHash: bytes32,
  /** Zeros for an answer without evidence. */
  evidenceHash: bytes32,
  recordedAt: count,
})

export type Receipt = Readonly<z.infer<typeof receipt>>

/** The EIP-712 fields, in the form that viem and ethers accept. */
export const RECEIPT_FIELDS = [
  { name: 'jobId', type: 'bytes32' },
  { name: 'requestHash', type: 'bytes32' },
  { name: 'model', type: 'string' },
  { name: 'operator', type: 'address' },
  { name: 'round', type: 'uint64' },
  { name: 'seed', type: 'bytes32' },
  { name: 'drawBlock', type: 'uint64' },
  { name: 'drawBlockHash', type: 'bytes32' },
  { name: 'tag', type: 'string' },
  { name: 'position', type: 'string' },
  { name: 'rangeStart', type: 'uint64' },
  { name: 'rangeEnd', type: 'uint64' },
  { name: 'rangeMax', type: 'uint64' },
  { name: 'jobClockHash', type: 'bytes32' },
  { name: 'statementHash', type: 'bytes32' },
  { name: 'evidenceHash', type: 'bytes32' },
  { name: 'recordedAt', type: 'uint64' },
] as const satisfies readonly StructField[]

/** Placeholder for an absent hash. */
export const NO_HASH: Hex = `0x${'00'.repeat(32)}`

/** The EIP-712 digest of a receipt, 32 bytes: the leaf of its interval's tree. */
export function receiptDigest(receipt: Receipt, domain: RecordDomain): Uint8Array {
  const struct = { name: 'Receipt', fields: RECEIPT_FIELDS }
  return keccak256(structBytes(struct, receipt, domain, VERSION))
}

/** Keccak-256("Assay/evidence/v1" 00 || level 00 || format 00 || document), zeros without evidence. */
export function evidenceHash(
  evidence:
    | { readonly level: string; readonly format: string; readonly document: string }
    | undefined,
): Hex {
  if (evidence === undefined) return NO_HASH
  const { level, format, document } = evidence
  return toHex(
    keccak256(concatBytes(utf8('Assay/evidence/v1\0'), utf8(`${level}\0${format}\0${document}`))),
  )
}
