import { method } from '../../../wire/method.ts'
import { poolContentResult } from '../../encode/poolContent.ts'
import type { Node } from '../../world.ts'

export const txpool_content = method({
  summary: 'All transactions of the pool, by group, sender and nonce.',
  params: {},
  result: poolContentResult,
  handler: ({ pool }: Pick<Node, 'pool'>) => ({ pending: pool.pending(), queued: pool.queued() }),
})
