import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getUncleCountByBlockHash = method({
  summary: 'Number of uncles of a block: 0x0, or null for an unknown hash.',
  params: { blockHash: hash },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { blockHash }) =>
    findHeader(chain, { hash: blockHash }) && 0n,
})
