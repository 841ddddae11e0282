import { method } from '../../../wire/method.ts'
import { hash, quantity } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { transactionAt } from '../../lookups/read.ts'
import { optionalDataResult } from '../../encode/results.ts'
import { findHeader } from '../../parameters/selector.ts'

export const eth_getRawTransactionByBlockHashAndIndex = method({
  summary: 'The EIP-2718 bytes of the transaction at an index of a block; 0x when there is none.',
  params: { blockHash: hash, index: quantity },
  result: optionalDataResult,
  handler: ({ chain }: Pick<Node, 'chain'>, { blockHash, index }) =>
    transactionAt(chain, findHeader(chain, { hash: blockHash }), index)?.transaction.raw,
})
