import { method } from '../../../wire/method.ts'
import { index } from '../../../wire/schema.ts'
import { transactionResult } from '../../encode/transaction.ts'
import type { World } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getTransactionByBlockNumberAndIndex = method({
  summary: 'The transaction at an index of a block; null if block or index is unknown.',
  params: { block: blockNumber, index },
  result: transactionResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block, index }) =>
    atBlock(world, block, ({ chain, block }) =>
      transactionAt(chain, findHeader(chain, block), index),
    ),
})
