import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

export const debug_traceBlockByNumber = method({
  // See D16.
  summary:
    'Re-executes all transactions of a block, by height or tag, and returns the trace of each.',
  params: { block: blockNumber, config: traceConfig },
  result: blockTracesResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { block, config }) => {
    const name = 'number' in block ? `#${block.number}` : block.tag
    const height = requireTraceable(findHeight(chain, block), name)
    return executions.run({ kind: 'traceBlock', height, config })
  },
})
