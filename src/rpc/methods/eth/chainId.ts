import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const eth_chainId = method({
  summary: 'Chain id that signatures bind to (EIP-155, EIP-695).',
  params: {},
  result: quantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>) => chain.chainId,
})
