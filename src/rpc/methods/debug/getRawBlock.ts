import { encodeBlockRlp } from '../../../chain/headerRlp.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { isPending } from '../../pending/atBlock.ts'

export const debug_getRawBlock = method({
  summary: 'RLP of a block: header, transactions, no uncles.',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) => {
    // go-ethereum looks it up by its hash again, and finds none (D61).
    if (isPending(block)) throw new RpcError('server', 'block not found')
    const header = requireHeader(chain, block)
    return encodeBlockRlp(header, chain.transactions(header.height) ?? [])
  },
})
