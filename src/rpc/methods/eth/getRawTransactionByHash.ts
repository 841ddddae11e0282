import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'
import { optionalDataResult } from '../../encode/results.ts'

export const eth_getRawTransactionByHash = method({
  summary: 'The EIP-2718 bytes of a transaction, in a block or pending; 0x for an unknown one.',
  params: { transactionHash: hash },
  result: optionalDataResult,
  handler: ({ chain, pool }: Pick<Node, 'chain' | 'pool'>, { transactionHash }) =>
    findIncluded(chain, transactionHash)?.transaction.raw ?? pool.get(transactionHash)?.raw,
})
