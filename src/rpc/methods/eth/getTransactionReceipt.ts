import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { receiptResult, type PlacedReceipt } from '../../encode/receipt.ts'
import type { World } from '../../world.ts'
import { findIncluded } from '../../lookups/read.ts'

export const eth_getTransactionReceipt = method({
  summary: 'Receipt of a mined transaction; null while it is pending or unknown.',
  params: { transactionHash: hash },
  result: receiptResult,
  handler: ({ chain }: Pick<World, 'chain'>, { transactionHash }): PlacedReceipt | undefined => {
    const included = findIncluded(chain, transactionHash)
    if (!included) return undefined
    const { header, index } = included.position
    const receipt = chain.receipt(header.height, index)
    return receipt && { ...included, receipt }
  },
})
