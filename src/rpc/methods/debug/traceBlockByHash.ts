import { toHex } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { findHeight } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

export const debug_traceBlockByHash = method({
  summary:
    'Runs all transactions of a block again, by its hash, and gives what a tracer saw of each (D16).',
  params: { blockHash: hash, config: traceConfig },
  result: blockTracesResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { blockHash, config }) => {
    const height = requireTraceable(findHeight(chain, { hash: blockHash }), toHex(blockHash))
    return executions.run({ kind: 'traceBlock', height, config })
  },
})
