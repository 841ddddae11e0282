import { createSearchBudget } from '../../events/search/budget.ts'
import { searchTransactions } from '../../events/search/transactions.ts'
import { flag, int, optional, text } from '../argument.ts'
import { encodeTx } from '../encode/tx.ts'
import { decimal } from '../encode/primitive.ts'
import { selectOrdered } from '../heights.ts'
import { cometMethod } from '../method.ts'
import { readSearchQuery, requireQueryLength } from '../readQuery.ts'
import type { CometServices } from '../world.ts'

export const tx_search = cometMethod({
  summary: 'Transactions whose events match a query, oldest first unless order_by is "desc".',
  args: {
    query: text,
    prove: flag,
    page: optional(int),
    per_page: optional(int),
    order_by: text,
  },
  async handler(
    services: Pick<CometServices, 'reader' | 'index'>,
    { query, prove, page, per_page, order_by },
    { signal },
  ): Promise<object> {
    const { reader, index } = services
    requireQueryLength(query)
    const source = {
      index,
      findTransaction: reader.findTransaction,
      range: { first: reader.earliestHeight(), last: reader.height() },
    }
    const places = await searchTransactions(
      source,
      readSearchQuery(query),
      createSearchBudget(signal),
    )
    const order = { orderBy: order_by, absent: 'asc' } as const
    return {
      txs: selectOrdered(places.length, order, page, per_page).flatMap((at) => {
        const place = places[at]
        return (place && encodeTx(services, place, prove)) ?? []
      }),
      total_count: decimal(places.length),
    }
  },
})
