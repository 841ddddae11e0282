import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { filterIdResult } from '../../subscriptions/filterIds.ts'
import { logFilter } from '../../parameters/logFilter.ts'
import type { World } from '../../world.ts'

export const eth_newFilter = method({
  summary: 'Installs a filter that collects new logs for polling.',
  params: { filter: logFilter },
  result: filterIdResult,
  handler({ filters }: Pick<World, 'filters'>, { filter }, { client }) {
    const { blocks } = filter
    // A tag is not a number and compares as neither.
    if (!(blocks instanceof Uint8Array) && Number(blocks.from) > Number(blocks.to))
      throw new RpcError('invalidParams', 'invalid block range params')
    return filters.install({ type: 'logs', query: filter }, client)
  },
})
