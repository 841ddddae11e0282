import { method } from '../../wire/method.ts'
import { filterIdResult, installFilter } from '../filterIds.ts'
import { logFilter } from '../logFilter.ts'
import type { Node } from '../node.ts'

export const eth_newFilter = method({
  summary: 'Installs a filter that reports new logs when it is polled.',
  params: { filter: logFilter },
  result: filterIdResult,
  handler: ({ filters }: Pick<Node, 'filters'>, { filter }) =>
    installFilter(filters, { type: 'logs', query: filter }),
})
