import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { optionalQuantityResult } from '../../encode/results.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getUncleCountByBlockHash = method({
  summary: 'Number of uncles of a block: 0x0, or null if the hash is unknown.',
  params: { blockHash: hash },
  result: optionalQuantityResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash }) =>
    findHeader(chain, { hash: blockHash }) && 0n,
})
