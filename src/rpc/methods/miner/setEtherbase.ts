import { method } from '../../../wire/method.ts'
import { address, booleanResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const miner_setEtherbase = method({
  summary:
    'Sets the account that receives the rewards of this validator, by a transaction of its reward key (D48).',
  params: { address },
  result: booleanResult,
  handler: ({ settings }: Pick<Node, 'settings'>, { address }) =>
    settings.setRewardAddress(address),
})
