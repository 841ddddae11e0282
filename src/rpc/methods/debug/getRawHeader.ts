import { encodeHeaderRlp } from '../../../chain/headerRlp.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

export const debug_getRawHeader = method({
  // See D6.
  summary: 'RLP of a header in Ethereum format; its Keccak hash is not the block hash.',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<World, 'chain'>, { block }) =>
    encodeHeaderRlp(requireHeader(chain, block)),
})
