import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { countTransactions } from '../../lookups/read.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { blockNumber } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getBlockTransactionCountByNumber = method({
  // See D8.
  summary: 'Number of transactions in a block, as a QUANTITY; null if the block is unknown.',
  params: { block: blockNumber },
  result: optionalQuantityResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block }) =>
    atBlock(world, block, ({ chain, block }) => countTransactions(chain, block)),
})
