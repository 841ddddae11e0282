import { method } from '../../../wire/method.ts'
import { quantity } from '../../../wire/schema.ts'
import { transactionResult } from '../../encode/transaction.ts'
import type { Node } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'

export const eth_getTransactionByBlockNumberAndIndex = method({
  summary: 'The transaction at an index of a block; null when block or index is unknown.',
  params: { block: blockNumber, index: quantity },
  result: transactionResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block, index }) =>
    transactionAt(chain, findHeader(chain, block), index),
})
