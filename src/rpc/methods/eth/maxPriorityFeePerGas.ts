import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const eth_maxPriorityFeePerGas = method({
  summary: 'Suggested tip per gas, based on recent blocks (EIP-1559).',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<World, 'fees'>) => fees.suggestedTip(),
})
