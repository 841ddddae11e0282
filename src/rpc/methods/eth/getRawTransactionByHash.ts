import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'
import { optionalDataResult } from '../../encode/results.ts'

export const eth_getRawTransactionByHash = method({
  summary: 'EIP-2718 bytes of a transaction, mined or pending; 0x if unknown.',
  params: { transactionHash: hash },
  result: optionalDataResult,
  handler: ({ chain, pool }: Pick<World, 'chain' | 'pool'>, { transactionHash }) =>
    findIncluded(chain, transactionHash)?.transaction.raw ?? pool.get(transactionHash)?.raw,
})
