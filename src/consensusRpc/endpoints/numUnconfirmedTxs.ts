import { encodePool, rawTransactions } from '../encode/pool.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const num_unconfirmed_txs = cometMethod({
  summary: 'How many transactions the pool holds, and their bytes.',
  args: {},
  handler: ({ pool }: Pick<CometServices, 'pool'>) => encodePool(rawTransactions(pool), undefined),
})
