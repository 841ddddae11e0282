import { method } from '../../../wire/method.ts'
import { booleanResult, quantity } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const miner_setGasPrice = method({
  summary:
    'Writes the minimum gas price of this node into its configuration file; it acts after a restart (D48).',
  params: { gasPrice: quantity },
  result: booleanResult,
  handler: ({ settings }: Pick<Node, 'settings'>, { gasPrice }) =>
    settings.setMinimumGasPrice(gasPrice),
})
