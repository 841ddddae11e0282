import { z } from 'zod'
import { method } from '../../wire/method.ts'

export const debug_getBadBlocks = method({
  summary: 'Always empty: a block that this node refuses is never decided.',
  params: {},
  result: { schema: z.tuple([]), encode: () => [] },
  handler: () => [],
})
