import { method } from '../../wire/method.ts'
import type { Node } from '../node.ts'
import { textResult } from '../results.ts'

export const net_version = method({
  summary: 'Network id, in decimal; it equals the chain id.',
  params: {},
  result: textResult,
  handler: ({ chain }: Pick<Node, 'chain'>) => chain.chainId.toString(),
})
