import { method } from '../../../wire/method.ts'
import { emptyListShape } from '../../../wire/shapes.ts'

export const debug_getBadBlocks = method({
  summary: 'Always empty: a block that this node rejects is never decided.',
  params: {},
  result: { schema: emptyListShape, encode: () => [] },
  handler: () => [],
})
