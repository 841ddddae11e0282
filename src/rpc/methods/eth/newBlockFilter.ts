import { method } from '../../../wire/method.ts'
import { filterIdResult } from '../../subscriptions/filterIds.ts'
import type { World } from '../../world.ts'

export const eth_newBlockFilter = method({
  summary: 'Installs a filter that collects the hashes of new blocks for polling.',
  params: {},
  result: filterIdResult,
  handler: ({ filters }: Pick<World, 'filters'>, _args, { client }) =>
    filters.install({ type: 'blocks' }, client),
})
