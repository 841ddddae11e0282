import { method } from '../../../wire/method.ts'
import { address, booleanResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const miner_setEtherbase = method({
  // See D48.
  summary:
    'Sets the account that receives the rewards of this validator, in a transaction signed by its reward key.',
  params: { address },
  result: booleanResult,
  handler: ({ settings }: Pick<World, 'settings'>, { address }) =>
    settings.setRewardAddress(address),
})
