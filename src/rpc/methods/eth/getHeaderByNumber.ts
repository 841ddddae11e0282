import { method } from '../../../wire/method.ts'
import { headerResult } from '../../encode/block.ts'
import type { Node } from '../../world.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'

export const eth_getHeaderByNumber = method({
  summary: 'A header by height or tag; null for an unknown one.',
  params: { block: blockNumber },
  result: headerResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => findHeader(chain, block),
})
