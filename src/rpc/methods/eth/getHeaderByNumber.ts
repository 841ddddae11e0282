import { method } from '../../../wire/method.ts'
import { headerResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'

export const eth_getHeaderByNumber = method({
  summary: 'A header by height or tag; null if unknown.',
  params: { block: blockNumber },
  result: headerResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) => findHeader(chain, block),
})
