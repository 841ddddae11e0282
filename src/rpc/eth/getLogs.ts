import { method } from '../../wire/method.ts'
import { logsResult } from '../encode/log.ts'
import { logFilter } from '../logFilter.ts'
import type { Node } from '../node.ts'
import { readLogs } from '../readLogs.ts'

export const eth_getLogs = method({
  summary: 'Logs by range of blocks or block hash, address and topics (EIP-234).',
  params: { filter: logFilter },
  result: logsResult,
  handler: (world: Pick<Node, 'chain' | 'limits'>, { filter }) => readLogs(world, filter),
})
