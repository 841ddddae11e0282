import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import { tracesOfBlock, type FlatTrace } from './flat.ts'
import { tracesResult } from './shapes.ts'

const MAX_BLOCKS = 1000

const traceFilter = z.object({
  fromBlock: blockNumber.nullish(),
  toBlock: blockNumber.nullish(),
  fromAddress: z.array(address).nullish(),
  toAddress: z.array(address).nullish(),
  after: z.int().min(0).nullish(),
  count: z.int().min(0).nullish(),
})

/** Whether any of the positions is among the requested addresses; without any, all match. */
function isAmong(
  wanted: readonly Uint8Array[] | null | undefined,
  places: readonly (string | undefined)[],
): boolean {
  if (!wanted || wanted.length === 0) return true
  return wanted.some((one) => places.includes(toHex(one)))
}

function matches(filter: z.output<typeof traceFilter>, { action, result }: FlatTrace): boolean {
  return (
    isAmong(filter.fromAddress, [action.from, action.address]) &&
    isAmong(filter.toAddress, [action.to, action.refundAddress, result?.address])
  )
}

export const trace_filter = method({
  summary: 'Flat traces of a range of up to 1000 blocks, filtered by sender and recipient.',
  params: { filter: traceFilter },
  result: tracesResult,
  handler: async (world: Pick<World, 'chain' | 'executions'>, { filter }) => {
    const first = findHeight(world.chain, filter.fromBlock ?? { tag: 'latest' })
    const last = findHeight(world.chain, filter.toBlock ?? { tag: 'latest' })
    if (first === undefined || last === undefined || first > last)
      throw new RpcError('invalidParams', 'invalid block range params')
    if (last - first >= MAX_BLOCKS)
      throw new RpcError('limitExceeded', `block range exceeds ${MAX_BLOCKS} blocks`)
    const end = (filter.after ?? 0) + (filter.count ?? Number.MAX_SAFE_INTEGER)
    const found: FlatTrace[] = []
    for (let height = first; height <= last && found.length < end; height++)
      for (const trace of await tracesOfBlock(world, height))
        if (matches(filter, trace)) found.push(trace)
    return found.slice(filter.after ?? 0, end)
  },
})
