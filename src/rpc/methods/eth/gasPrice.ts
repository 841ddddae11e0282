import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const eth_gasPrice = method({
  summary: 'Gas price for the next blocks: base fee plus the suggested tip, at least the minimum.',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<Node, 'fees'>) => fees.nextBaseFee() + fees.suggestedTip(),
})
