import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { hash, quantity } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { tracesOfTransaction } from './flat.ts'
import { traceResult } from './shapes.ts'

export const trace_get = method({
  summary: 'The trace at a place in the tree of calls of a transaction; null when there is none.',
  params: { transactionHash: hash, traceAddress: z.array(quantity) },
  result: traceResult,
  handler: async (world: Pick<Node, 'chain' | 'executions'>, { transactionHash, traceAddress }) => {
    const wanted = traceAddress.join()
    const traces = await tracesOfTransaction(world, transactionHash)
    return traces?.find((trace) => trace.traceAddress.join() === wanted)
  },
})
