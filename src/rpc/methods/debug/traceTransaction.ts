import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { traceResult } from '../../encode/results.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'

export const debug_traceTransaction = method({
  // See D16.
  summary:
    'Re-executes a transaction after the ones before it in its block, and returns its trace.',
  params: { transactionHash: hash, config: traceConfig },
  result: traceResult,
  handler: (
    { chain, executions }: Pick<World, 'chain' | 'executions'>,
    { transactionHash, config },
  ) => {
    const place = chain.findTransaction(transactionHash)
    if (!place) throw new RpcError('server', 'transaction not found')
    return executions.run({ kind: 'traceTransaction', ...place, config })
  },
})
