import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { tracesOfBlock } from './flat.ts'
import { tracesResult } from './shapes.ts'

export const trace_block = method({
  summary: 'Flat traces of all transactions of a block; null for an unknown one.',
  params: { block: blockNumber },
  result: tracesResult,
  handler: (world: Pick<Node, 'chain' | 'executions'>, { block }) => {
    const height = findHeight(world.chain, block)
    return height === undefined ? undefined : tracesOfBlock(world, height)
  },
})
