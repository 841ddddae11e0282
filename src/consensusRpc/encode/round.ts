/**
 * The round in progress. A single validator decides at once, so between blocks it is always waiting for transactions.
 */
import { toUpperHexDigits } from '../../base/hex.ts'
import type { ConsensusReader } from '../../consensus/engine.ts'
import { formatTime } from '../../proof/comet/time.ts'
import type { Commit, Validator } from '../../proof/comet/types.ts'
import { encodeValidator } from './validator.ts'

/** The inputs of a round. */
export type RoundSource = Pick<
  ConsensusReader,
  'height' | 'block' | 'validators' | 'commit' | 'validator'
>

/** CometBFT's RoundStepNewRound. */
export const WAITING_STEP = 2

const sumOfPowers = (validators: readonly Validator[]): bigint =>
  validators.reduce((sum, { power }) => sum + power, 0n)

/** Which validators have voted, in CometBFT's notation: x for a vote, _ for none. */
function bitArray(validators: readonly Validator[], hasVoted: boolean): string {
  const power = sumOfPowers(validators)
  const marks = (hasVoted ? 'x' : '_').repeat(validators.length)
  return `BA{${validators.length}:${marks}} ${hasVoted ? power : 0}/${power} = ${hasVoted ? '1.00' : '0.00'}`
}

/** The votes of the waiting round and of the next one, both empty. */
export function encodeVotes(validators: readonly Validator[]): readonly object[] {
  const votes = validators.map(() => 'nil-Vote')
  const bits = bitArray(validators, false)
  return [0, 1].map((round) => ({
    round,
    prevotes: votes,
    prevotes_bit_array: bits,
    precommits: votes,
    precommits_bit_array: bits,
  }))
}

/** A validator set with its next proposer. */
export function encodeValidatorSet(validators: readonly Validator[]): object {
  const [proposer] = validators
  return {
    validators: validators.map(encodeValidator),
    proposer: proposer === undefined ? null : encodeValidator(proposer),
  }
}

const fingerprint = (bytes: Uint8Array): string =>
  toUpperHexDigits(bytes.subarray(0, 6)).padEnd(12, '0')

/** The votes that decided a block, in CometBFT's short form; null before the first block. */
export function encodeLastCommit(
  commit: Commit | undefined,
  validators: readonly Validator[],
): object | null {
  if (commit === undefined) return null
  const { height, round, blockId, signatures } = commit
  const place = `${height}/${String(round).padStart(2, '0')}`
  return {
    votes: signatures.map(({ validatorAddress, signature, timeNs }, index) =>
      [
        `Vote{${index}:${fingerprint(validatorAddress)} ${place}/SIGNED_MSG_TYPE_PRECOMMIT(Precommit)`,
        fingerprint(blockId.hash),
        fingerprint(signature),
        `000000000000 @ ${formatTime(timeNs)}}`,
      ].join(' '),
    ),
    votes_bit_array: bitArray(validators, true),
    peer_maj_23s: {},
  }
}
