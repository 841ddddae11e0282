import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import type { Effects } from '../../../evm/types.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { findHeight, readState } from '../../parameters/selector.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { requireTraceable } from './blockTraces.ts'

const rootsResult: Result<readonly Uint8Array[]> = {
  schema: z.array(hashShape),
  encode: (roots) => roots.map(toHex),
}

export const debug_intermediateRoots = method({
  // See D6.
  summary:
    'State root after each transaction of a block within the proof window, and last the one after its end-of-block changes.',
  params: { blockHash: hash, config: traceConfig },
  result: rootsResult,
  handler: async ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { blockHash }) => {
    const height = requireTraceable(findHeight(chain, { hash: blockHash }), toHex(blockHash))
    const steps = (await executions.run({ kind: 'blockEffects', height })) as readonly Effects[]
    // The first step is the block's own changes, before its transactions.
    return readState(() => chain.roots(height - 1, steps)).slice(1)
  },
})
