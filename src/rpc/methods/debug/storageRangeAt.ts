import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address, data } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import type { StorageRange } from '../../executions/protocol.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { isPending } from '../../pending/atBlock.ts'
import { requireTraceable } from './blockTraces.ts'

/** Maximum number of slots on one page. */
const MAX_SLOTS = 10_000

const storageRangeResult: Result<StorageRange> = {
  schema: z.strictObject({
    storage: z.record(hashShape, z.strictObject({ key: hashShape, value: hashShape })),
    nextKey: hashShape.nullable(),
  }),
  encode: ({ slots, next }) => ({
    storage: Object.fromEntries(
      slots.map(({ hash, slot, value }) => [
        toHex(hash),
        { key: toHex(slot), value: toHex(value) },
      ]),
    ),
    nextKey: next ? toHex(next) : null,
  }),
}

export const debug_storageRangeAt = method({
  // See D16a.
  summary:
    'Storage slots of a contract before a transaction of a block, ordered by slot hash, one page at a time.',
  params: {
    block,
    transactionIndex: z.int().nonnegative(),
    address,
    start: data,
    limit: z.int().nonnegative(),
  },
  result: storageRangeResult,
  handler: async (
    { chain, executions }: Pick<World, 'chain' | 'executions'>,
    { block, transactionIndex: index, address, start, limit },
  ) => {
    if (isPending(block)) throw new RpcError('server', 'pending state is not available')
    const { height, hash } = requireHeader(chain, block)
    return (await executions.run({
      kind: 'storageRange',
      height: requireTraceable(height, toHex(hash)),
      index,
      address,
      start,
      limit: Math.min(limit, MAX_SLOTS),
    })) as StorageRange
  },
})
