import { method } from '../../../wire/method.ts'
import { logsResult } from '../../encode/log.ts'
import { logFilter } from '../../parameters/logFilter.ts'
import type { World } from '../../world.ts'
import { readLogs } from '../../lookups/readLogs.ts'

export const eth_getLogs = method({
  summary: 'Logs by block range or block hash, address and topics (EIP-234).',
  params: { filter: logFilter },
  result: logsResult,
  handler: (world: Pick<World, 'chain' | 'limits'>, { filter }) => readLogs(world, filter),
})
