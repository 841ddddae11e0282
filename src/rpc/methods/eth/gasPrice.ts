import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const eth_gasPrice = method({
  summary:
    'Suggested gas price for the next blocks: base fee plus suggested tip, but at least the minimum gas price.',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<World, 'fees'>) => fees.nextBaseFee() + fees.suggestedTip(),
})
