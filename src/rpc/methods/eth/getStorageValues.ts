import { z } from 'zod'
import { guarded, list, record } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { fromHex, toHex, tryFromHex } from '../../../base/hex.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { block, readState, requireState } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

type Values = Readonly<Record<string, readonly Uint8Array[]>>

const MAX_SLOTS = 1024

function slotCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const words of Object.values(value)) if (Array.isArray(words)) count += words.length
  return count
}

const given = guarded(record(list(hash, BOUNDS.storageKeys), BOUNDS.storageKeys), {
  max: BOUNDS.storageKeys,
  unit: 'slots',
  measure: slotCount,
})

// A transform, not a refinement: that would be a copy without its guard.
const slots = given.transform((record, context) => {
  if (Object.keys(record).some((key) => tryFromHex(key)?.length !== 20))
    context.addIssue({ code: 'custom', message: 'keys must be addresses' })
  else if (slotCount(record) > MAX_SLOTS)
    context.addIssue({ code: 'custom', message: `too many slots (max ${MAX_SLOTS})` })
  return record
})

const valuesResult: Result<Values> = {
  schema: z.record(z.string(), z.array(hashShape)),
  encode: (values) =>
    Object.fromEntries(Object.entries(values).map(([key, words]) => [key, words.map(toHex)])),
}

export const eth_getStorageValues = method({
  summary: 'Values of many storage slots of many accounts in one call.',
  params: { slots, block },
  result: valuesResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { slots, block }) => {
    if (slotCount(slots) === 0) throw new RpcError('invalidParams', 'empty request')
    return atBlock(world, block, ({ chain, block }) => {
      const state = requireState(chain, block)
      return readState(() =>
        Object.fromEntries(
          Object.entries(slots).map(([key, words]) => [
            key.toLowerCase(),
            words.map((slot) => state.storage(fromHex(key), slot)),
          ]),
        ),
      )
    })
  },
})
