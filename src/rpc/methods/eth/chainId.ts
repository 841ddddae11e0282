import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const eth_chainId = method({
  summary: 'Chain id that signatures are bound to (EIP-155, EIP-695).',
  params: {},
  result: quantityResult,
  handler: ({ chain }: Pick<World, 'chain'>) => chain.chainId,
})
