import { toHexDigits } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import { senderContentResult } from '../../encode/poolContent.ts'
import type { World } from '../../world.ts'

export const txpool_contentFrom = method({
  summary: 'Transactions of a sender in the pool, by group and nonce.',
  params: { address },
  result: senderContentResult,
  handler: ({ pool }: Pick<World, 'pool'>, { address }) => {
    const sender = toHexDigits(address)
    return {
      pending: pool.pending().get(sender) ?? [],
      queued: pool.queued().get(sender) ?? [],
    }
  },
})
