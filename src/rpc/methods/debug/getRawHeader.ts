import { encodeHeaderRlp } from '../../../chain/headerRlp.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { isPending } from '../../pending/atBlock.ts'

export const debug_getRawHeader = method({
  // See D6.
  summary: 'RLP of a header in Ethereum format; its Keccak hash is not the block hash.',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) => {
    // go-ethereum looks it up by its hash again, and finds none (D61).
    if (isPending(block)) throw new RpcError('server', 'header not found')
    return encodeHeaderRlp(requireHeader(chain, block))
  },
})
