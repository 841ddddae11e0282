import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { tracesOfTransaction } from './flat.ts'
import { tracesResult } from './shapes.ts'

export const trace_transaction = method({
  summary: 'Flat traces of a transaction; null for an unknown one.',
  params: { transactionHash: hash },
  result: tracesResult,
  handler: (world: Pick<Node, 'chain' | 'executions'>, { transactionHash }) =>
    tracesOfTransaction(world, transactionHash),
})
