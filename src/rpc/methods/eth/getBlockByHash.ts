import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { blockResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { findBlock } from '../../lookups/read.ts'

export const eth_getBlockByHash = method({
  summary: 'A block by hash, with transaction hashes or full transactions; null if unknown.',
  params: { blockHash: hash, full: z.boolean() },
  result: blockResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash, full }) =>
    findBlock(chain, { hash: blockHash }, full),
})
