import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { blockResult } from '../../encode/block.ts'
import type { Node } from '../../world.ts'
import { findBlock } from '../../lookups/read.ts'
import { blockNumber } from '../../parameters/selector.ts'

export const eth_getBlockByNumber = method({
  summary: 'A block by height or tag, with hashes or whole transactions; null for an unknown one.',
  params: { block: blockNumber, full: z.boolean() },
  result: blockResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block, full }) => findBlock(chain, block, full),
})
