import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

export const debug_traceBlockByNumber = method({
  // See D16.
  summary:
    'Re-executes all transactions of a block, by height or tag, and returns the trace of each.',
  params: { block: blockNumber, config: traceConfig },
  result: blockTracesResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, { block, config }) =>
    atBlock(world, block, ({ chain, block, pending }) => {
      const name = 'number' in block ? `#${block.number}` : block.tag
      const height = requireTraceable(findHeight(chain, block), name)
      return world.executions.run({ kind: 'traceBlock', height, config, pending })
    }),
})
