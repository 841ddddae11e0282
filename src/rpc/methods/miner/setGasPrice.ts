import { method } from '../../../wire/method.ts'
import { booleanResult, quantity } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const miner_setGasPrice = method({
  // See D48.
  summary:
    'Writes the minimum gas price of this node to its configuration file. Takes effect after a restart.',
  params: { gasPrice: quantity },
  result: booleanResult,
  handler: ({ settings }: Pick<World, 'settings'>, { gasPrice }) =>
    settings.setMinimumGasPrice(gasPrice),
})
