import { method } from '../../wire/method.ts'
import { hash } from '../../wire/schema.ts'
import type { Node } from '../node.ts'
import { findIncluded } from '../read.ts'
import { optionalDataResult } from '../results.ts'

export const debug_getRawTransaction = method({
  summary: 'The EIP-2718 bytes of a transaction, in a block or pending; 0x for an unknown one.',
  params: { transactionHash: hash },
  result: optionalDataResult,
  handler: ({ chain, pool }: Pick<Node, 'chain' | 'pool'>, { transactionHash }) =>
    findIncluded(chain, transactionHash)?.transaction.raw ?? pool.get(transactionHash)?.raw,
})
