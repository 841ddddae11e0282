/** Validators and staking, polled. */
import { useNode } from '../net/context.ts'
import { useAnswer, type Answer } from '../net/useAnswer.ts'
import { genesisValidators, type GenesisValidator } from './genesisNames.ts'
import { loadStake } from './stake.ts'
import type { Stake, Staking } from './types.ts'
import { loadStaking } from './validators.ts'

const EVERY_MS = 2000

export type Known = {
  /** Undefined on chains without staking. */
  readonly staking: Staking | undefined
  readonly genesis: readonly GenesisValidator[]
}

/** All validators. */
export function useStaking(): Answer<Known> {
  const node = useNode()
  return useAnswer(
    async () => {
      const genesis = await genesisValidators(node)
      const addresses = genesis.map(({ address }) => address).filter((each) => each !== '')
      return { staking: await loadStaking(node, addresses), genesis }
    },
    [],
    EVERY_MS,
  )
}

/** What an account has at stake. */
export function useStake(account: string): Answer<Stake> {
  const node = useNode()
  return useAnswer(() => loadStake(node, account), [account], EVERY_MS)
}
