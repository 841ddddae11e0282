/** The bundles of eth_callMany, with Erigon's names: calls that run one after another, each bundle in a block of its own. */
import { z } from 'zod'
import { guarded, list } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { address, quantity } from '../../wire/schema.ts'
import { callObject } from './callObject.ts'
import type { BlockOverrides } from './overrides.ts'
import { block } from './selector.ts'

const blockOverride = z
  .object({
    blockNumber: quantity.nullish(),
    timestamp: quantity.nullish(),
    coinbase: address.nullish(),
    gasLimit: quantity.nullish(),
    baseFee: quantity.nullish(),
    blockHash: z.null('hashes of blocks cannot be overridden').optional(),
  })
  .nullish()
  .transform((given): BlockOverrides => {
    const { blockNumber, timestamp, coinbase, gasLimit, baseFee } = given ?? {}
    // What is not given stays as the bundle before left it.
    return {
      ...(blockNumber != null && { number: blockNumber }),
      ...(timestamp != null && { time: timestamp }),
      ...(coinbase && { coinbase }),
      ...(gasLimit != null && { gasLimit }),
      ...(baseFee != null && { baseFee }),
    }
  })

const bundle = z.object({
  transactions: list(callObject, BOUNDS.simulatedCalls),
  blockOverride,
})

function callCount(value: unknown): number {
  if (!Array.isArray(value)) return 0
  let count = 0
  for (const bundle of value as readonly ({ readonly transactions?: unknown } | null)[]) {
    const transactions: unknown = bundle?.transactions
    if (Array.isArray(transactions)) count += transactions.length
  }
  return count
}

/** Bundles: calls, and overrides of their block. */
export const callBundles = guarded(list(bundle, BOUNDS.list), {
  max: BOUNDS.simulatedCalls,
  unit: 'calls',
  measure: callCount,
})

/** Where the bundles run: on a block, before the transaction with this index; -1, or none, is after all of them. */
export const simulateContext = z.object({
  blockNumber: block,
  transactionIndex: z.int().min(-1).nullish(),
})
