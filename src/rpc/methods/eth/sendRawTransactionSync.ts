import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import { receiptResult } from '../../encode/receipt.ts'
import { awaitInclusion } from '../../sending/inclusion.ts'
import type { World } from '../../world.ts'
import { receiptAt } from '../../lookups/read.ts'
import { acknowledge, enter } from '../../sending/submit.ts'

const DEFAULT_MS = 20_000
const MAX_MS = 60_000

export const eth_sendRawTransactionSync = method({
  summary:
    'Adds a signed transaction to the pool, waits until it is mined, and returns its receipt (EIP-7966).',
  params: {
    transaction: data,
    timeout: z
      .number()
      .min(1)
      .nullish()
      .meta({ description: 'timeout in milliseconds, at most 60000' }),
  },
  result: receiptResult,
  handler: async (
    { chain, bus, pool }: Pick<World, 'chain' | 'bus' | 'pool'>,
    { transaction, timeout },
  ) => {
    const limit = Math.min(timeout ?? DEFAULT_MS, MAX_MS)
    const entered = await enter(pool, transaction)
    const { hash } = entered
    const included = await awaitInclusion({ chain, bus }, hash, limit)
    if (included) {
      const { header, index } = included.position
      return receiptAt(chain, header, index)
    }
    await acknowledge(pool, entered)
    const message = `the transaction was added to the pool but was not mined within ${limit} ms`
    throw new RpcError('notIncluded', message, toHex(hash))
  },
})
