import { int, optional } from '../argument.ts'
import { encodePool, rawTransactions } from '../encode/pool.ts'
import { selectPerPage } from '../heights.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const unconfirmed_txs = cometMethod({
  summary: 'Transactions in the pool: 30 by default, at most 100.',
  args: { limit: optional(int) },
  handler({ pool }: Pick<CometServices, 'pool'>, { limit }) {
    const all = rawTransactions(pool)
    return encodePool(all, all.slice(0, selectPerPage(limit)))
  },
})
