import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { tracesOfTransaction } from './flat.ts'
import { tracesResult } from './shapes.ts'

export const trace_transaction = method({
  summary: 'Flat traces of a transaction; null if unknown.',
  params: { transactionHash: hash },
  result: tracesResult,
  handler: (world: Pick<World, 'chain' | 'executions'>, { transactionHash }) =>
    tracesOfTransaction(world, transactionHash),
})
