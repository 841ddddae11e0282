import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { traceResult } from '../../encode/results.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'

export const debug_traceTransaction = method({
  summary:
    'Runs a transaction again, behind those before it in its block, and gives what a tracer saw (D16).',
  params: { transactionHash: hash, config: traceConfig },
  result: traceResult,
  handler: (
    { chain, executions }: Pick<Node, 'chain' | 'executions'>,
    { transactionHash, config },
  ) => {
    const place = chain.findTransaction(transactionHash)
    if (!place) throw new RpcError('server', 'transaction not found')
    return executions.run({ kind: 'traceTransaction', ...place, config })
  },
})
