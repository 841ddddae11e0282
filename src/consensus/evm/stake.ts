/** Whether genesis says the same about validators to consensus and to the staking contract. */
import { UserError } from '../../base/errors.ts'
import type { GenesisState } from '../../chain/genesis.ts'
import { differenceOf } from '../../chain/staking/validatorSet.ts'
import type { InitChainRequest } from '../application.ts'

const NANOSECONDS = 1_000_000_000n

/** Throws UserError when the validators differ, or when evidence may be older than stake that was taken out. */
export function checkStake(
  staking: GenesisState['staking'],
  { validators, consensusParams }: Pick<InitChainRequest, 'validators' | 'consensusParams'>,
): void {
  if (staking === undefined) return
  if (differenceOf(validators, staking.set).length > 0)
    throw new UserError(
      'genesis.json: validators differ from app_state.evm.staking.validators',
      'Both must name the same keys, with a power of stake / power_unit.',
    )
  const { maxAgeDurationNs } = consensusParams.evidence
  if (maxAgeDurationNs > BigInt(staking.unbondingSeconds) * NANOSECONDS)
    throw new UserError(
      'genesis.json: consensus_params.evidence.max_age_duration is longer than the unbonding time',
      'Evidence must not outlive the stake that answers for it: shorten it, or raise app_state.evm.staking.unbonding_time.',
    )
}
