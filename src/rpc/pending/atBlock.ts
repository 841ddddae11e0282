/** Reads a block that a caller selects, the pending one included (D61). */
import type { ChainReader } from '../../chain/reader.ts'
import { RpcError } from '../../wire/errors.ts'
import type { CallFields } from '../parameters/callObject.ts'
import { requireHeader, type BlockSelector, type NumberSelector } from '../parameters/selector.ts'
import type { World } from '../world.ts'
import { withPending, type PendingBlock } from './pendingView.ts'

type Needs = Pick<World, 'chain' | 'pending'>

/** What a read gets: a chain with the selected block, its selector there, and that block if it is the pending one. */
export type Place<Selector> = {
  readonly chain: ChainReader
  readonly block: Selector
  readonly pending: PendingBlock | undefined
}

export const isPending = (selector: BlockSelector): boolean =>
  'tag' in selector && selector.tag === 'pending'

/** Runs a read of a block: at once if it is stored; the pending one has to be built first. */
export function atBlock<Selector extends BlockSelector, T>(
  { chain, pending }: Needs,
  selector: Selector,
  read: (place: Place<Selector | NumberSelector>) => T | Promise<T>,
): T | Promise<T> {
  if (!isPending(selector)) return read({ chain, block: selector, pending: undefined })
  return pending.current().then((block) =>
    read({
      chain: withPending(chain, block),
      block: { number: BigInt(block.header.height) },
      pending: block,
    }),
  )
}

/** The gas limit with which a message succeeds, on the block of estimates that name none. Fails with RpcError. */
export function estimateNext(
  world: Needs & Pick<World, 'calls' | 'estimatesAt'>,
  fields: CallFields,
): bigint | Promise<bigint> {
  return atBlock(world, world.estimatesAt, ({ chain, block, pending }) =>
    world.calls.estimate(fields, requireHeader(chain, block).height, stateOnly(pending)),
  )
}

/** What a call on a block needs to know of the pending one. */
export const stateOnly = (pending: PendingBlock | undefined) =>
  pending && { header: pending.header, effects: pending.effects }

/**
 * Refuses the pending block where go-ethereum refuses it: traces of calls. Its contents are not those that the next block
 * will have; overrides say what a call should find. Throws RpcError -32000.
 */
export function refusePending(selector: BlockSelector): void {
  if (isPending(selector))
    throw new RpcError('server', 'tracing on top of pending is not supported')
}
