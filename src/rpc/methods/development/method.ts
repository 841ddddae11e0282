/** Parameters and parts that the methods of a development chain share (D56). */
import { z } from 'zod'
import { scalarText } from '../../../base/boundedSchema.ts'
import type { Development } from '../../../consensus/development/development.ts'
import { tryFromQuantity } from '../../../base/quantity.ts'
import { UserError } from '../../../base/errors.ts'
import { RpcError } from '../../../wire/errors.ts'
import type { Result } from '../../../wire/method.ts'
import type { World } from '../../world.ts'

/** A development node. */
export type DevelopmentWorld = World & { readonly development: Development }

/** The part of it that the handlers use. */
export type DevelopmentParts = Pick<DevelopmentWorld, 'development' | 'chain'>

/** A whole number as tools write it: a QUANTITY, decimal digits, or a JSON number. */
export const amount = z
  .union([scalarText(), z.int().nonnegative()])
  .transform((value, context) => {
    if (typeof value === 'number') return BigInt(value)
    const number = /^\d+$/.test(value) ? BigInt(value) : tryFromQuantity(value)
    if (number !== undefined) return number
    context.addIssue({ code: 'custom', message: 'expected an integer' })
    return z.NEVER
  })
  .meta({ description: 'integer: QUANTITY, decimal digits, or JSON number' })

/** Encodes true, which Hardhat returns when something is done. */
export const doneResult: Result<unknown> = { schema: z.literal(true), encode: () => true }

/** Runs an action that may roll back further than the chain can, and words the error. */
export async function goingBack<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof UserError) throw new RpcError('server', error.message)
    throw error
  }
}
