import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { tracesOfBlock } from './flat.ts'
import { tracesResult } from './shapes.ts'

export const trace_block = method({
  summary: 'Flat traces of all transactions of a block; null if the block is unknown.',
  params: { block: blockNumber },
  result: tracesResult,
  handler: (world: Pick<World, 'chain' | 'executions'>, { block }) => {
    const height = findHeight(world.chain, block)
    return height === undefined ? undefined : tracesOfBlock(world, height)
  },
})
