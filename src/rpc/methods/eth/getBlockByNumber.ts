import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { blockResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { findBlock } from '../../lookups/read.ts'
import { blockNumber } from '../../parameters/selector.ts'

export const eth_getBlockByNumber = method({
  summary:
    'A block by height or tag, with transaction hashes or full transactions; null if unknown.',
  params: { block: blockNumber, full: z.boolean() },
  result: blockResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block, full }) => findBlock(chain, block, full),
})
