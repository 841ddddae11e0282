import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { filterIdResult, installFilter } from '../../subscriptions/filterIds.ts'
import type { Node } from '../../world.ts'

export const eth_newPendingTransactionFilter = method({
  summary:
    'Installs a filter that reports new pending transactions when it is polled: hashes, or whole ones.',
  params: {
    full: z.boolean().nullish().meta({ description: 'true for whole transactions' }),
  },
  result: filterIdResult,
  handler: ({ filters }: Pick<Node, 'filters'>, { full }) =>
    installFilter(filters, { type: 'pending', isFull: full === true }),
})
