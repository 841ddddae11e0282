import { method } from '../../wire/method.ts'
import type { Node } from '../node.ts'
import { countTransactions } from '../read.ts'
import { optionalQuantityResult } from '../results.ts'
import { blockNumber } from '../selector.ts'

export const eth_getBlockTransactionCountByNumber = method({
  summary: 'Number of transactions in a block, as a QUANTITY (D8); null for an unknown block.',
  params: { block: blockNumber },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => countTransactions(chain, block),
})
