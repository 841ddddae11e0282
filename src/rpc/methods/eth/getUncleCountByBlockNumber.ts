import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getUncleCountByBlockNumber = method({
  summary: 'Number of uncles of a block: 0x0, or null if the block is unknown.',
  params: { block: blockNumber },
  result: optionalQuantityResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block }) =>
    atBlock(world, block, ({ chain, block }) => findHeader(chain, block) && 0n),
})
