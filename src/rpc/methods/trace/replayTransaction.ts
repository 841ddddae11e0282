import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { traceTypes } from './parts.ts'
import { replayResult } from './shapes.ts'

export const trace_replayTransaction = method({
  summary: 'Runs a transaction again and shows its traces and what it changed.',
  params: { transactionHash: hash, types: traceTypes },
  result: replayResult,
  handler: (
    { chain, executions }: Pick<Node, 'chain' | 'executions'>,
    { transactionHash, types },
  ) => {
    const place = chain.findTransaction(transactionHash)
    if (!place) throw new RpcError('server', 'transaction not found')
    return executions.run({ kind: 'replayTransaction', ...place, parts: types })
  },
})
