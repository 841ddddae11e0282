import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { filterIdResult } from '../../subscriptions/filterIds.ts'
import type { World } from '../../world.ts'

export const eth_newPendingTransactionFilter = method({
  summary:
    'Installs a filter that collects new pending transactions for polling: hashes or full transactions.',
  params: {
    full: z.boolean().nullish().meta({ description: 'true for full transactions' }),
  },
  result: filterIdResult,
  handler: ({ filters }: Pick<World, 'filters'>, { full }, { client }) =>
    filters.install({ type: 'pending', isFull: full === true }, client),
})
