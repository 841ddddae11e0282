import { z } from 'zod'
import { fromHex, toHex, tryFromHex } from '../../../base/hex.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { hashShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { block, readState, requireState } from '../../parameters/selector.ts'

type Values = Readonly<Record<string, readonly Uint8Array[]>>

const MAX_SLOTS = 1024

const slots = z
  .record(z.string(), z.array(hash))
  .refine((record) => Object.keys(record).every((key) => tryFromHex(key)?.length === 20), {
    error: 'keys must be addresses',
  })
  .refine((record) => Object.values(record).flat().length <= MAX_SLOTS, {
    error: `too many slots (max ${MAX_SLOTS})`,
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
  handler: ({ chain }: Pick<World, 'chain'>, { slots, block }) => {
    const state = requireState(chain, block)
    return readState(() =>
      Object.fromEntries(
        Object.entries(slots).map(([key, words]) => [
          key.toLowerCase(),
          words.map((slot) => state.storage(fromHex(key), slot)),
        ]),
      ),
    )
  },
})
