import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { textResult } from '../../encode/results.ts'

export const net_version = method({
  summary: 'Network id, in decimal; equal to the chain id.',
  params: {},
  result: textResult,
  handler: ({ chain }: Pick<World, 'chain'>) => chain.chainId.toString(),
})
