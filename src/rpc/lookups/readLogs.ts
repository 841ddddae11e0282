/** Reads logs from the chain within the limits of one request. */
import { createSlices } from '../../base/slices.ts'
import type { BlockLogs } from '../../chain/reader.ts'
import type { HeightBound, LogQuery } from '../../events/filters.ts'
import { RpcError } from '../../wire/errors.ts'
import type { World } from '../world.ts'

type Needs = Pick<World, 'chain' | 'limits'>

function resolveBound({ chain }: Needs, bound: HeightBound): number {
  if (bound === 'latest') return chain.latestHeight()
  return bound === 'earliest' ? chain.earliestHeight() : bound
}

function rangeOf(world: Needs, { blocks }: LogQuery): { first: number; last: number } {
  const { chain, limits } = world
  if (blocks instanceof Uint8Array) {
    const height = chain.heightOfHash(blocks)
    if (height === undefined) throw new RpcError('server', 'unknown block')
    return { first: height, last: height }
  }
  const first = resolveBound(world, blocks.from)
  const last = resolveBound(world, blocks.to)
  if (first > last) throw new RpcError('invalidParams', 'invalid block range params')
  if (last > chain.latestHeight())
    throw new RpcError('invalidParams', 'block range extends beyond current head block')
  if (first < chain.earliestHeight())
    throw new RpcError(
      'server',
      `pruned history unavailable: blocks before ${chain.earliestHeight()} are not kept`,
    )
  if (limits.logRange !== undefined && last - first >= limits.logRange)
    throw new RpcError('limitExceeded', `block range is longer than ${limits.logRange} blocks`)
  return { first, last }
}

/**
 * All logs that match a query, by block and in order. Throws RpcError: -32602 for an impossible range, -32000 for an
 * unknown block, -32005 for more logs than json-rpc.logs-cap or a longer range than allowed, -32002 on a timeout.
 */
export async function readLogs(world: Needs, query: LogQuery): Promise<readonly BlockLogs[]> {
  const { chain, limits } = world
  const { first, last } = rangeOf(world, query)
  const deadline = performance.now() + limits.logTimeMs
  const slices = createSlices()
  const found: BlockLogs[] = []
  let count = 0
  for (const logs of chain.logs(first, last, query.criteria)) {
    count += logs.places.length
    if (count > limits.logs)
      throw new RpcError('limitExceeded', `query returned more than ${limits.logs} results`)
    if (logs.places.length > 0) found.push(logs)
    if (performance.now() > deadline)
      throw new RpcError(
        'timeout',
        `query timeout exceeded (${limits.logTimeMs} ms); narrow the block range`,
      )
    if (slices.isOver()) await slices.next()
  }
  return found
}
