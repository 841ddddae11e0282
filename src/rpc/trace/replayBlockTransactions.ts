import { method } from '../../wire/method.ts'
import type { Node } from '../node.ts'
import { block, requireHeader } from '../selector.ts'
import { encodeReplay, REPLAY_CONFIG, traceTypes } from './replay.ts'
import { replaysResult } from './shapes.ts'

export const trace_replayBlockTransactions = method({
  summary: 'Runs all transactions of a block again and shows their traces and what they changed.',
  params: { block, types: traceTypes },
  result: replaysResult,
  handler: async ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { block, types }) => {
    const { height } = requireHeader(chain, block)
    const seen = await executions.run({ kind: 'traceBlock', height, config: REPLAY_CONFIG })
    return (seen as readonly { txHash: string; result: unknown }[]).map(({ txHash, result }) =>
      encodeReplay(result, types, txHash),
    )
  },
})
