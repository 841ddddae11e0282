import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

export const debug_traceBlockByNumber = method({
  summary:
    'Runs all transactions of a block again, by height or tag, and gives what a tracer saw of each (D16).',
  params: { block: blockNumber, config: traceConfig },
  result: blockTracesResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { block, config }) => {
    const name = 'number' in block ? `#${block.number}` : block.tag
    const height = requireTraceable(findHeight(chain, block), name)
    return executions.run({ kind: 'traceBlock', height, config })
  },
})
