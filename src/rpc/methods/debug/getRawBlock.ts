import { encodeBlockRlp } from '../../../chain/headerRlp.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

export const debug_getRawBlock = method({
  summary: 'RLP of a block: header, transactions, no uncles.',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) => {
    const header = requireHeader(chain, block)
    return encodeBlockRlp(header, chain.transactions(header.height) ?? [])
  },
})
