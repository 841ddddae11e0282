import { method } from '../../../wire/method.ts'
import { poolSummaryResult } from '../../encode/poolContent.ts'
import type { World } from '../../world.ts'

export const txpool_inspect = method({
  summary: 'All transactions in the pool as text summaries, by group, sender and nonce.',
  params: {},
  result: poolSummaryResult,
  handler: ({ pool }: Pick<World, 'pool'>) => ({ pending: pool.pending(), queued: pool.queued() }),
})
