import { method } from '../../../wire/method.ts'
import { index } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { optionalDataResult } from '../../encode/results.ts'
import { blockNumber, findHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getRawTransactionByBlockNumberAndIndex = method({
  summary: 'EIP-2718 bytes of the transaction at an index of a block; 0x if there is none.',
  params: { block: blockNumber, index },
  result: optionalDataResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { block, index }) =>
    atBlock(
      world,
      block,
      ({ chain, block }) => transactionAt(chain, findHeader(chain, block), index)?.transaction.raw,
    ),
})
