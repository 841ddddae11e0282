import { encodePool, rawTransactions } from '../encode/pool.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const num_unconfirmed_txs = cometMethod({
  summary: 'Number of transactions in the pool, and their total size in bytes.',
  args: {},
  handler: ({ pool }: Pick<CometServices, 'pool'>) => encodePool(rawTransactions(pool), undefined),
})
