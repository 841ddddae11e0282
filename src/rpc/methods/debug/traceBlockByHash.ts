import { toHex } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { findHeight } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult, requireTraceable } from './blockTraces.ts'

export const debug_traceBlockByHash = method({
  // See D16.
  summary: 'Re-executes all transactions of a block, by hash, and returns the trace of each.',
  params: { blockHash: hash, config: traceConfig },
  result: blockTracesResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { blockHash, config }) => {
    const height = requireTraceable(findHeight(chain, { hash: blockHash }), toHex(blockHash))
    return executions.run({ kind: 'traceBlock', height, config })
  },
})
