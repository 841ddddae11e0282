/** Checks a light block's consistency: sizes, signs and matching hashes. Signatures are not checked here. */
import { equalBytes } from '../../../base/bytes.ts'
import { isNilBlockId } from '../blockId.ts'
import type { CometCrypto, Sha256 } from '../crypto.ts'
import { headerHash } from '../header.ts'
import {
  ZERO_TIME_NS,
  type BlockId,
  type Commit,
  type CommitSignature,
  type Header,
  type Validator,
} from '../types.ts'
import { addressOfPublicKey, validatorsHash } from '../validators.ts'
import { totalVotingPower } from '../votingPower.ts'
import { LightError } from './errors.ts'
import type { LightBlock, SignedHeader } from './types.ts'

const HASH_BYTES = 32
const ADDRESS_BYTES = 20
const SIGNATURE_BYTES = 64
const MAX_CHAIN_ID_CHARACTERS = 50

function check(holds: boolean, message: string): void {
  if (!holds) throw new LightError('invalid', message)
}

function checkHash(name: string, hash: Uint8Array): void {
  check(
    hash.length === 0 || hash.length === HASH_BYTES,
    `the header's ${name} has ${hash.length} bytes, not ${HASH_BYTES}`,
  )
}

function checkBlockId(name: string, { hash, parts }: BlockId): void {
  checkHash(name, hash)
  checkHash(name, parts.hash)
}

/** Sizes and ranges of a header's fields (CometBFT's Header.ValidateBasic). Throws LightError `invalid`. */
export function checkHeader(header: Header): void {
  check(
    header.chainId.length <= MAX_CHAIN_ID_CHARACTERS,
    `the header's chain id is longer than ${MAX_CHAIN_ID_CHARACTERS} characters`,
  )
  check(Number.isSafeInteger(header.height) && header.height > 0, 'the height is not above 0')
  checkBlockId('last_block_id', header.lastBlockId)
  checkHash('last_commit_hash', header.lastCommitHash)
  checkHash('data_hash', header.dataHash)
  checkHash('validators_hash', header.validatorsHash)
  checkHash('next_validators_hash', header.nextValidatorsHash)
  checkHash('consensus_hash', header.consensusHash)
  checkHash('last_results_hash', header.lastResultsHash)
  checkHash('evidence_hash', header.evidenceHash)
  check(
    header.proposerAddress.length === ADDRESS_BYTES,
    `the header's proposer_address has ${header.proposerAddress.length} bytes, not ${ADDRESS_BYTES}`,
  )
}

function checkSignature(entry: CommitSignature, index: number): void {
  if (entry.blockIdFlag === 1)
    check(
      entry.validatorAddress.length === 0 &&
        entry.timeNs === ZERO_TIME_NS &&
        entry.signature.length === 0,
      `signature ${index} of the commit is absent and yet says something`,
    )
  else
    check(
      entry.validatorAddress.length === ADDRESS_BYTES && entry.signature.length === SIGNATURE_BYTES,
      `signature ${index} of the commit has a wrong size`,
    )
}

function checkCommit(commit: Commit): void {
  check(Number.isSafeInteger(commit.round) && commit.round >= 0, "the commit's round is negative")
  check(!isNilBlockId(commit.blockId), 'the commit is for no block')
  checkBlockId('commit', commit.blockId)
  check(commit.signatures.length > 0, 'the commit has no signatures')
  commit.signatures.forEach(checkSignature)
}

/** Header and commit: of this chain, of one height, and the commit for this very header. Throws LightError `invalid`. */
export function checkSignedHeader(
  sha256: Sha256,
  chainId: string,
  { header, commit }: SignedHeader,
): void {
  checkHeader(header)
  checkCommit(commit)
  check(
    header.chainId === chainId,
    `the header is of chain ${JSON.stringify(header.chainId)}, not ${JSON.stringify(chainId)}`,
  )
  check(
    commit.height === header.height,
    `the commit is for height ${commit.height}, the header for ${header.height}`,
  )
  check(
    equalBytes(headerHash(sha256, header), commit.blockId.hash),
    'the header does not hash to what its commit signs',
  )
}

function checkValidator(sha256: Sha256, { publicKey, address }: Validator, index: number): void {
  check(publicKey.length === 32, `the key of validator ${index} does not have 32 bytes`)
  check(
    equalBytes(addressOfPublicKey(sha256, publicKey), address),
    `the address of validator ${index} is not that of its key`,
  )
}

/** Keys, addresses and powers of a set, and its hash. Throws LightError `invalid`. */
export function checkValidators(
  sha256: Sha256,
  validators: readonly Validator[],
  expectedHash: Uint8Array,
): void {
  check(validators.length > 0, 'the validator set is empty')
  for (const [index, validator] of validators.entries()) checkValidator(sha256, validator, index)
  try {
    totalVotingPower(validators)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new LightError('invalid', error.message, { cause: error })
  }
  check(
    equalBytes(validatorsHash(sha256, validators), expectedHash),
    "the validators are not those of the header's validators_hash",
  )
}

/** All of it. Throws LightError `invalid`. */
export function checkLightBlock(
  { sha256 }: Pick<CometCrypto, 'sha256'>,
  chainId: string,
  block: LightBlock,
): void {
  checkSignedHeader(sha256, chainId, block)
  checkValidators(sha256, block.validators, block.header.validatorsHash)
}
