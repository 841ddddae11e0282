import { method } from '../../../wire/method.ts'
import { filterIdResult, installFilter } from '../../subscriptions/filterIds.ts'
import type { Node } from '../../world.ts'

export const eth_newBlockFilter = method({
  summary: 'Installs a filter that reports hashes of new blocks when it is polled.',
  params: {},
  result: filterIdResult,
  handler: ({ filters }: Pick<Node, 'filters'>) => installFilter(filters, { type: 'blocks' }),
})
