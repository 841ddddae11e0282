import { z } from 'zod'
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { quantityShape } from '../../../wire/shapes.ts'
import type { PoolGroups } from '../../encode/poolContent.ts'
import type { Node } from '../../world.ts'

const countsResult: Result<PoolGroups<number>> = {
  schema: z.strictObject({ pending: quantityShape, queued: quantityShape }),
  encode: ({ pending, queued }) => ({ pending: toQuantity(pending), queued: toQuantity(queued) }),
}

export const txpool_status = method({
  summary: 'How many transactions the pool holds, by group.',
  params: {},
  result: countsResult,
  handler: ({ pool }: Pick<Node, 'pool'>) => pool.counts(),
})
