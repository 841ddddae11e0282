/** Checks that genesis tells consensus and the staking contract the same about validators. */
import { UserError } from '../../base/errors.ts'
import type { GenesisState } from '../../chain/genesis.ts'
import { differenceOf } from '../../chain/staking/validatorSet.ts'
import type { InitChainRequest } from '../application.ts'

const NANOSECONDS = 1_000_000_000n

/** Throws UserError when the validators differ, or when evidence may be older than withdrawn stake. */
export function checkStake(
  staking: GenesisState['staking'],
  { validators, consensusParams }: Pick<InitChainRequest, 'validators' | 'consensusParams'>,
): void {
  if (staking === undefined) return
  if (differenceOf(validators, staking.set).length > 0)
    throw new UserError(
      'genesis.json: validators differ from app_state.evm.staking.validators',
      'Both must list the same keys, each with the power stake / power_unit.',
    )
  const { maxAgeDurationNs } = consensusParams.evidence
  if (maxAgeDurationNs > BigInt(staking.unbondingSeconds) * NANOSECONDS)
    throw new UserError(
      'genesis.json: consensus_params.evidence.max_age_duration is longer than the unbonding time',
      'Evidence must not outlive the stake it can slash: shorten it, or raise app_state.evm.staking.unbonding_time.',
    )
}
