import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { traceTypes } from './parts.ts'
import { replayResult } from './shapes.ts'

export const trace_replayTransaction = method({
  summary: 'Re-executes a transaction and returns its traces and state changes.',
  params: { transactionHash: hash, types: traceTypes },
  result: replayResult,
  handler: (
    { chain, executions }: Pick<World, 'chain' | 'executions'>,
    { transactionHash, types },
  ) => {
    const place = chain.findTransaction(transactionHash)
    if (!place) throw new RpcError('server', 'transaction not found')
    return executions.run({ kind: 'replayTransaction', ...place, parts: types })
  },
})
