import { toHexDigits } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import { senderContentResult } from '../../encode/poolContent.ts'
import type { Node } from '../../world.ts'

export const txpool_contentFrom = method({
  summary: 'Transactions of one sender in the pool, by group and nonce.',
  params: { address },
  result: senderContentResult,
  handler: ({ pool }: Pick<Node, 'pool'>, { address }) => {
    const sender = toHexDigits(address)
    return {
      pending: pool.pending().get(sender) ?? [],
      queued: pool.queued().get(sender) ?? [],
    }
  },
})
