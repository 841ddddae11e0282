import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const eth_maxPriorityFeePerGas = method({
  summary: 'Tip per gas that recent blocks suggest (EIP-1559).',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<Node, 'fees'>) => fees.suggestedTip(),
})
