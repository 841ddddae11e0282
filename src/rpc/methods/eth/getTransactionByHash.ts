import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { transactionResult, type PlacedTransaction } from '../../encode/transaction.ts'
import type { Node } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'

export const eth_getTransactionByHash = method({
  summary: 'A transaction by its hash, in a block or still pending; null for an unknown one.',
  params: { transactionHash: hash },
  result: transactionResult,
  handler: (
    { chain, pool }: Pick<Node, 'chain' | 'pool'>,
    { transactionHash },
  ): PlacedTransaction | undefined => {
    const included = findIncluded(chain, transactionHash)
    if (included) return included
    const transaction = pool.get(transactionHash)
    return transaction && { transaction, position: undefined }
  },
})
