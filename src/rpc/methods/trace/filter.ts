import { z } from 'zod'
import { list } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
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
  fromAddress: list(address, BOUNDS.filterChoices).nullish(),
  toAddress: list(address, BOUNDS.filterChoices).nullish(),
  after: z.int().min(0).nullish(),
  count: z.int().min(0).nullish(),
})

type Addresses = readonly Uint8Array[] | null | undefined

/** Whether any of the positions is among the requested addresses; without any, all match. */
function among(wanted: Addresses): (places: readonly (string | undefined)[]) => boolean {
  if (!wanted || wanted.length === 0) return () => true
  const texts = new Set<string | undefined>(wanted.map(toHex))
  return (places) => places.some((place) => place !== undefined && texts.has(place))
}

function matcherOf(filter: z.output<typeof traceFilter>): (trace: FlatTrace) => boolean {
  const isSender = among(filter.fromAddress)
  const isRecipient = among(filter.toAddress)
  return ({ action, result }) =>
    isSender([action.from, action.address]) &&
    isRecipient([action.to, action.refundAddress, result?.address])
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
    const matches = matcherOf(filter)
    const found: FlatTrace[] = []
    for (let height = first; height <= last && found.length < end; height++)
      for (const trace of await tracesOfBlock(world, height)) if (matches(trace)) found.push(trace)
    return found.slice(filter.after ?? 0, end)
  },
})
