import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const eth_baseFee = method({
  summary: 'Base fee of a block made now (D18).',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<Node, 'fees'>) => fees.nextBaseFee(),
})
