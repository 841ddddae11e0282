import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { headerResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getHeaderByHash = method({
  summary: 'A header by hash; null if unknown.',
  params: { blockHash: hash },
  result: headerResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash }) =>
    findHeader(chain, { hash: blockHash }),
})
