import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { traceTypes } from './parts.ts'
import { replaysResult } from './shapes.ts'

export const trace_replayBlockTransactions = method({
  summary: 'Runs all transactions of a block again and shows their traces and what they changed.',
  params: { block, types: traceTypes },
  result: replaysResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { block, types }) =>
    executions.run({
      kind: 'replayBlock',
      height: requireHeader(chain, block).height,
      parts: types,
    }),
})
