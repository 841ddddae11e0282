/** Headers, commits and validators in CometBFT's JSON: answers of `commit`, `validators` and `block`. */
import { z } from 'zod'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { NIL_BLOCK_ID } from '../blockId.ts'
import type { BlockId, Commit, CommitSignature, Header, Validator } from '../types.ts'
import { base64, heightText, hexDigits, int32, int64, publicKey, timeText } from './scalars.ts'

const MAX_VALIDATORS = 10_000

const blockId = z
  .object({ hash: hexDigits, parts: z.object({ total: int32, hash: hexDigits }) })
  .transform((json): BlockId => json)

// Go omits zero numbers here.
const version = z.object({ block: int64.default(0n), app: int64.default(0n) })

/** A header. */
export const headerJson = z
  .object({
    version,
    chain_id: z.string(),
    height: heightText,
    time: timeText,
    last_block_id: blockId.nullable(),
    last_commit_hash: hexDigits,
    data_hash: hexDigits,
    validators_hash: hexDigits,
    next_validators_hash: hexDigits,
    consensus_hash: hexDigits,
    app_hash: hexDigits,
    last_results_hash: hexDigits,
    evidence_hash: hexDigits,
    proposer_address: hexDigits,
  })
  .transform((json): Header => ({
    version: json.version,
    chainId: json.chain_id,
    height: json.height,
    timeNs: json.time,
    lastBlockId: json.last_block_id ?? NIL_BLOCK_ID,
    lastCommitHash: json.last_commit_hash,
    dataHash: json.data_hash,
    validatorsHash: json.validators_hash,
    nextValidatorsHash: json.next_validators_hash,
    consensusHash: json.consensus_hash,
    appHash: json.app_hash,
    lastResultsHash: json.last_results_hash,
    evidenceHash: json.evidence_hash,
    proposerAddress: json.proposer_address,
  }))

const commitSignature = z
  .object({
    block_id_flag: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    validator_address: hexDigits,
    timestamp: timeText,
    signature: base64.nullable(),
  })
  .transform((json): CommitSignature => ({
    blockIdFlag: json.block_id_flag,
    validatorAddress: json.validator_address,
    timeNs: json.timestamp,
    signature: json.signature ?? EMPTY_BYTES,
  }))

/** A commit. */
export const commitJson = z
  .object({
    height: heightText,
    round: int32,
    block_id: blockId,
    signatures: z.array(commitSignature).max(MAX_VALIDATORS, 'too many signatures'),
  })
  .transform((json): Commit => ({
    height: json.height,
    round: json.round,
    blockId: json.block_id,
    signatures: json.signatures,
  }))

const validatorFields = { address: hexDigits, pub_key: publicKey, voting_power: int64 }

/** A validator as the hash of its set covers it: without a priority, which nothing proves. */
export const hashedValidatorJson = z.strictObject(validatorFields).transform((json): Validator => ({
  address: json.address,
  publicKey: json.pub_key.value,
  power: json.voting_power,
  proposerPriority: 0n,
}))

/** A validator with its priority in the rotation. */
export const validatorJson = z
  .object({ ...validatorFields, proposer_priority: int64.default(0n) })
  .transform((json): Validator => ({
    address: json.address,
    publicKey: json.pub_key.value,
    power: json.voting_power,
    proposerPriority: json.proposer_priority,
  }))

/** `commit`; `canonical` does not matter, since the signatures are verified. */
export const commitAnswer = z.object({
  signed_header: z.object({ header: headerJson, commit: commitJson }),
})

/** `validators`: a page of at most a hundred. */
export const validatorsAnswer = z.object({
  block_height: heightText,
  validators: z.array(validatorJson).min(1, 'expected validators').max(100, 'the page is too long'),
  total: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a count as a decimal integer in a string')
    .transform(Number)
    .refine((total) => total >= 1 && total <= MAX_VALIDATORS, `expected 1 to ${MAX_VALIDATORS}`),
})
