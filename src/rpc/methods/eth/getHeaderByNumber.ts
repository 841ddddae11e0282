import { method } from '../../../wire/method.ts'
import { headerResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'
import { isPending } from '../../pending/atBlock.ts'

export const eth_getHeaderByNumber = method({
  summary: 'A header by height or tag; null if unknown, and for pending.',
  params: { block: blockNumber },
  result: headerResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) =>
    isPending(block) ? undefined : findHeader(chain, block),
})
