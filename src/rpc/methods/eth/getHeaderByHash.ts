import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { headerResult } from '../../encode/block.ts'
import type { Node } from '../../world.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getHeaderByHash = method({
  summary: 'A header by its hash; null for an unknown one.',
  params: { blockHash: hash },
  result: headerResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { blockHash }) =>
    findHeader(chain, { hash: blockHash }),
})
