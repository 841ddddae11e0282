import { z } from 'zod'
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import type { PoolGroups } from '../../encode/poolContent.ts'
import type { World } from '../../world.ts'

const countsResult: Result<PoolGroups<number>> = {
  schema: z.strictObject({ pending: quantityShape, queued: quantityShape }),
  encode: ({ pending, queued }) => ({ pending: toQuantity(pending), queued: toQuantity(queued) }),
}

export const txpool_status = method({
  summary: 'Number of transactions in the pool, by group.',
  params: {},
  result: countsResult,
  handler: ({ pool }: Pick<World, 'pool'>) => pool.counts(),
})
