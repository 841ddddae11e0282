import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { blockResult } from '../../encode/block.ts'
import type { Node } from '../../world.ts'
import { findBlock } from '../../lookups/read.ts'

export const eth_getBlockByHash = method({
  summary: 'A block by its hash, with hashes or whole transactions; null for an unknown one.',
  params: { blockHash: hash, full: z.boolean() },
  result: blockResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { blockHash, full }) =>
    findBlock(chain, { hash: blockHash }, full),
})
