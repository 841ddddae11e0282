import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { countTransactions } from '../../lookups/read.ts'
import { optionalQuantityResult } from '../../encode/results.ts'

export const eth_getBlockTransactionCountByHash = method({
  summary: 'Number of transactions in a block; null for an unknown hash.',
  params: { blockHash: hash },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { blockHash }) =>
    countTransactions(chain, { hash: blockHash }),
})
