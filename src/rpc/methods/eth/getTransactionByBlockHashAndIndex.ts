import { method } from '../../../wire/method.ts'
import { hash, index } from '../../../wire/schema.ts'
import { transactionResult } from '../../encode/transaction.ts'
import type { World } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getTransactionByBlockHashAndIndex = method({
  summary: 'The transaction at an index of a block; null if block or index is unknown.',
  params: { blockHash: hash, index },
  result: transactionResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash, index }) =>
    transactionAt(chain, findHeader(chain, { hash: blockHash }), index),
})
