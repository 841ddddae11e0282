import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { transactionResult, type PlacedTransaction } from '../../encode/transaction.ts'
import type { World } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'

export const eth_getTransactionByHash = method({
  summary: 'A transaction by hash, mined or pending; null if unknown.',
  params: { transactionHash: hash },
  result: transactionResult,
  handler: (
    { chain, pool }: Pick<World, 'chain' | 'pool'>,
    { transactionHash },
  ): PlacedTransaction | undefined => {
    const included = findIncluded(chain, transactionHash)
    if (included) return included
    const transaction = pool.get(transactionHash)
    return transaction && { transaction, position: undefined }
  },
})
