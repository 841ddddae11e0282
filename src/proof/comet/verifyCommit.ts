/** Whether a validator set decided a block: signatures of more than two thirds of its power. */
import { equalBytes } from '../../base/bytes.ts'
import { equalBlockIds, NIL_BLOCK_ID } from './blockId.ts'
import type { CometCrypto } from './crypto.ts'
import type { BlockId, Commit, CommitSignature, Validator } from './types.ts'
import { PRECOMMIT, voteSignBytes } from './vote.ts'

/** A commit does not prove what it should. */
export class CommitError extends Error {
  override readonly name = 'CommitError'
}

const COMMITTED = 2
const ABSENT = 1

/** The bytes that the validator of a commit's entry signed: its precommit for the block, or for nil. */
export function commitVoteSignBytes(
  chainId: string,
  { height, round, blockId }: Commit,
  { blockIdFlag, timeNs }: CommitSignature,
): Uint8Array {
  return voteSignBytes(chainId, {
    type: PRECOMMIT,
    height,
    round,
    blockId: blockIdFlag === COMMITTED ? blockId : NIL_BLOCK_ID,
    timeNs,
  })
}

/**
 * Checks every signature of the commit, including those for nil, and that the ones for the block hold more than two
 * thirds of the power. Signatures are in the order of the set. Throws CommitError.
 */
export function verifyCommit(
  crypto: CometCrypto,
  chainId: string,
  validators: readonly Validator[],
  expected: { readonly height: number; readonly blockId: BlockId },
  commit: Commit,
): void {
  if (commit.height !== expected.height)
    throw new CommitError(`the commit is for height ${commit.height}, not ${expected.height}`)
  if (!equalBlockIds(commit.blockId, expected.blockId))
    throw new CommitError('the commit is for another block')
  if (commit.signatures.length !== validators.length)
    throw new CommitError(
      `the commit has ${commit.signatures.length} signatures for ${validators.length} validators`,
    )
  let total = 0n
  let signed = 0n
  for (const [index, validator] of validators.entries()) {
    total += validator.power
    const entry = commit.signatures[index]
    if (entry === undefined || entry.blockIdFlag === ABSENT) continue
    if (!equalBytes(entry.validatorAddress, validator.address))
      throw new CommitError(`signature ${index} is by another validator than the set's`)
    const message = commitVoteSignBytes(chainId, commit, entry)
    if (!crypto.verifyEd25519(validator.publicKey, message, entry.signature))
      throw new CommitError(`signature ${index} is wrong`)
    if (entry.blockIdFlag === COMMITTED) signed += validator.power
  }
  if (signed * 3n <= total * 2n)
    throw new CommitError(`signatures hold ${signed} of ${total} power, which is not above 2/3`)
}
