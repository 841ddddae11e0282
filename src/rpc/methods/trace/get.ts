import { list } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { method } from '../../../wire/method.ts'
import { hash, quantity } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { tracesOfTransaction } from './flat.ts'
import { traceResult } from './shapes.ts'

export const trace_get = method({
  summary: 'The trace at a position in the call tree of a transaction; null if there is none.',
  params: { transactionHash: hash, traceAddress: list(quantity, BOUNDS.list) },
  result: traceResult,
  handler: async (
    world: Pick<World, 'chain' | 'executions'>,
    { transactionHash, traceAddress },
  ) => {
    const wanted = traceAddress.join()
    const traces = await tracesOfTransaction(world, transactionHash)
    return traces?.find((trace) => trace.traceAddress.join() === wanted)
  },
})
