import { method } from '../../../wire/method.ts'
import { poolSummaryResult } from '../../encode/poolContent.ts'
import type { Node } from '../../world.ts'

export const txpool_inspect = method({
  summary: 'All transactions of the pool as lines of text, by group, sender and nonce.',
  params: {},
  result: poolSummaryResult,
  handler: ({ pool }: Pick<Node, 'pool'>) => ({ pending: pool.pending(), queued: pool.queued() }),
})
