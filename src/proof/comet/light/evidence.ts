/** Proof that validators signed two blocks for one height (CometBFT's LightClientAttackEvidence). */
import { equalBytes } from '../../../base/bytes.ts'
import { toHexDigits } from '../../../base/hex.ts'
import type { Header, Validator } from '../types.ts'
import { sortValidators } from '../validators.ts'
import { totalVotingPower } from '../votingPower.ts'
import { blockSignatures } from './signers.ts'
import type { LightBlock } from './types.ts'

export type Attack = {
  /**
   * `lunatic`: the header claims a state that never was. `equivocation`: both blocks were signed in one round.
   * `amnesia`: in different rounds, and it cannot be determined who is to blame.
   */
  readonly kind: 'lunatic' | 'equivocation' | 'amnesia'
  /** The block that the submitter of the evidence considers false. */
  readonly conflicting: LightBlock
  /** For `lunatic`, the last height at which both chains agree; otherwise the height of the conflict. */
  readonly commonHeight: number
  readonly timeNs: bigint
  readonly totalVotingPower: bigint
  readonly byzantineValidators: readonly Validator[]
}

function claimsOtherState(conflicting: Header, trusted: Header): boolean {
  return (
    !equalBytes(conflicting.validatorsHash, trusted.validatorsHash) ||
    !equalBytes(conflicting.nextValidatorsHash, trusted.nextValidatorsHash) ||
    !equalBytes(conflicting.consensusHash, trusted.consensusHash) ||
    !equalBytes(conflicting.appHash, trusted.appHash) ||
    !equalBytes(conflicting.lastResultsHash, trusted.lastResultsHash)
  )
}

function signersOf({ commit }: LightBlock): ReadonlySet<string> {
  return new Set(
    blockSignatures(commit).map(({ validatorAddress }) => toHexDigits(validatorAddress)),
  )
}

function among(
  validators: readonly Validator[],
  ...signers: readonly ReadonlySet<string>[]
): readonly Validator[] {
  const guilty = validators.filter(({ address }) =>
    signers.every((set) => set.has(toHexDigits(address))),
  )
  return sortValidators(guilty)
}

/** The evidence for two verified blocks that contradict each other after a common one. */
export function attackBy(conflicting: LightBlock, trusted: LightBlock, common: LightBlock): Attack {
  if (claimsOtherState(conflicting.header, trusted.header))
    return {
      kind: 'lunatic',
      conflicting,
      commonHeight: common.header.height,
      timeNs: common.header.timeNs,
      totalVotingPower: totalVotingPower(common.validators),
      byzantineValidators: among(common.validators, signersOf(conflicting)),
    }
  const sameRound = conflicting.commit.round === trusted.commit.round
  return {
    kind: sameRound ? 'equivocation' : 'amnesia',
    conflicting,
    commonHeight: trusted.header.height,
    timeNs: trusted.header.timeNs,
    totalVotingPower: totalVotingPower(trusted.validators),
    byzantineValidators: sameRound
      ? among(conflicting.validators, signersOf(conflicting), signersOf(trusted))
      : [],
  }
}
