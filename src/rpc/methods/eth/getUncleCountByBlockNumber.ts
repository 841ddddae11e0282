import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'

export const eth_getUncleCountByBlockNumber = method({
  summary: 'Number of uncles of a block: 0x0, or null for an unknown block.',
  params: { block: blockNumber },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => findHeader(chain, block) && 0n,
})
