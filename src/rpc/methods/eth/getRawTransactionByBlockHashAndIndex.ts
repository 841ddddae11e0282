import { method } from '../../../wire/method.ts'
import { hash, index } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { optionalDataResult } from '../../encode/results.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getRawTransactionByBlockHashAndIndex = method({
  summary: 'EIP-2718 bytes of the transaction at an index of a block; 0x if there is none.',
  params: { blockHash: hash, index },
  result: optionalDataResult,
  handler: ({ chain }: Pick<World, 'chain'>, { blockHash, index }) =>
    transactionAt(chain, findHeader(chain, { hash: blockHash }), index)?.transaction.raw,
})
