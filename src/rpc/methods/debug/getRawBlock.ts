import { encodeBlockRlp } from '../../../chain/headerRlp.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

export const debug_getRawBlock = method({
  summary: 'A block as RLP: header, transactions, no uncles.',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) => {
    const header = requireHeader(chain, block)
    return encodeBlockRlp(header, chain.transactions(header.height) ?? [])
  },
})
