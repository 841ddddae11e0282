import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { blockOrPendingResult } from '../../encode/block.ts'
import type { World } from '../../world.ts'
import { findBlock } from '../../lookups/read.ts'
import { blockNumber } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getBlockByNumber = method({
  summary:
    'A block by height or tag, with transaction hashes or full transactions; null if unknown.',
  params: { block: blockNumber, full: z.boolean() },
  result: blockOrPendingResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block, full }) =>
    atBlock(world, block, ({ chain, block, pending }) => {
      const found = findBlock(chain, block, full)
      return found && { ...found, isPending: pending !== undefined }
    }),
})
