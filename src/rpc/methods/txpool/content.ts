import { method } from '../../../wire/method.ts'
import { poolContentResult } from '../../encode/poolContent.ts'
import type { World } from '../../world.ts'

export const txpool_content = method({
  summary: 'All transactions in the pool, by group, sender and nonce.',
  params: {},
  result: poolContentResult,
  handler: ({ pool }: Pick<World, 'pool'>) => ({ pending: pool.pending(), queued: pool.queued() }),
})
