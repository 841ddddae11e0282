import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import { traceTypes } from './parts.ts'
import { replaysResult } from './shapes.ts'

export const trace_replayBlockTransactions = method({
  summary: 'Re-executes all transactions of a block and returns their traces and state changes.',
  params: { block, types: traceTypes },
  result: replaysResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, { block, types }) =>
    atBlock(world, block, ({ chain, block, pending }) =>
      world.executions.run({
        kind: 'replayBlock',
        height: requireHeader(chain, block).height,
        parts: types,
        pending,
      }),
    ),
})
