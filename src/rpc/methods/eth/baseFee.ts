import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const eth_baseFee = method({
  // See D18.
  summary: 'Base fee of the next block, if it were made now.',
  params: {},
  result: quantityResult,
  handler: ({ fees }: Pick<World, 'fees'>) => fees.nextBaseFee(),
})
