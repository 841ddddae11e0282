import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { countTransactions } from '../../lookups/read.ts'
import { optionalQuantityResult } from '../../encode/results.ts'

export const eth_getBlockTransactionCountByHash = method({
  summary: 'Number of transactions in a block; null if the hash is unknown.',
  params: { blockHash: hash },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash }) =>
    countTransactions(chain, { hash: blockHash }),
})
