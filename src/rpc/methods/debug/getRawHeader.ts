import { encodeHeaderRlp } from '../../../chain/headerRlp.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

export const debug_getRawHeader = method({
  summary:
    'A header as RLP in the shape of Ethereum; its Keccak hash is not the hash of the block (D6).',
  params: { block },
  result: dataResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { block }) =>
    encodeHeaderRlp(requireHeader(chain, block)),
})
