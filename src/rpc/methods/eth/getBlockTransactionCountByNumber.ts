import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { countTransactions } from '../../lookups/read.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { blockNumber } from '../../parameters/selector.ts'

export const eth_getBlockTransactionCountByNumber = method({
  summary: 'Number of transactions in a block, as a QUANTITY (D8); null for an unknown block.',
  params: { block: blockNumber },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => countTransactions(chain, block),
})
