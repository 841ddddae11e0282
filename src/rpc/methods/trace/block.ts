import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import { tracesOfBlock } from './flat.ts'
import { tracesResult } from './shapes.ts'

export const trace_block = method({
  summary: 'Flat traces of all transactions of a block; null if the block is unknown.',
  params: { block: blockNumber },
  result: tracesResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, { block }) =>
    atBlock(world, block, ({ chain, block, pending }) => {
      const height = findHeight(chain, block)
      if (height === undefined) return undefined
      return tracesOfBlock({ chain, executions: world.executions }, height, pending)
    }),
})
