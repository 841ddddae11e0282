import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const eth_blockNumber = method({
  summary: 'Height of the latest block.',
  params: {},
  result: quantityResult,
  handler: ({ chain }: Pick<World, 'chain'>) => chain.latestHeight(),
})
