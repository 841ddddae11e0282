import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { textResult } from '../../encode/results.ts'

export const net_version = method({
  summary: 'Network id, in decimal; it equals the chain id.',
  params: {},
  result: textResult,
  handler: ({ chain }: Pick<Node, 'chain'>) => chain.chainId.toString(),
})
