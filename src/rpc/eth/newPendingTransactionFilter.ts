import { method } from '../../wire/method.ts'
import { filterIdResult, installFilter } from '../filterIds.ts'
import type { Node } from '../node.ts'

export const eth_newPendingTransactionFilter = method({
  summary: 'Installs a filter that reports hashes of new pending transactions when it is polled.',
  params: {},
  result: filterIdResult,
  handler: ({ filters }: Pick<Node, 'filters'>) => installFilter(filters, { type: 'pending' }),
})
