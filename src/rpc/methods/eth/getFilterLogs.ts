import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { logsResult } from '../../encode/log.ts'
import { filterId, filterNotFound } from '../../subscriptions/filterIds.ts'
import type { World } from '../../world.ts'
import { readLogs } from '../../lookups/readLogs.ts'

/** Numbers of go-ethereum's subscription types, which the error names (D12). */
const TYPE_NUMBERS = { pending: 4, blocks: 5 } as const

export const eth_getFilterLogs = method({
  summary: 'All logs that match a log filter; an error for other filters.',
  params: { id: filterId },
  result: logsResult,
  handler: (world: Pick<World, 'chain' | 'limits' | 'filters'>, { id }) => {
    const kind = world.filters.find(id)
    if (!kind) throw filterNotFound()
    if (kind.type === 'logs') return readLogs(world, kind.query)
    throw new RpcError(
      'server',
      `filter ${id} doesn't have a LogsSubscription type: got ${TYPE_NUMBERS[kind.type]}`,
    )
  },
})
