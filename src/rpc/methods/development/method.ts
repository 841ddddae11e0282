/** What the methods of a chain for development take and use (D56). */
import { z } from 'zod'
import type { Development } from '../../../consensus/development/development.ts'
import { tryFromQuantity } from '../../../base/quantity.ts'
import { UserError } from '../../../base/errors.ts'
import { RpcError } from '../../../wire/errors.ts'
import type { Result } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'

/** A node that runs for development. */
export type DevelopmentNode = Node & { readonly development: Development }

/** What the handlers use of it. */
export type World = Pick<DevelopmentNode, 'development' | 'chain'>

/** A whole number as tools write it: a QUANTITY, decimal digits, or a JSON number. */
export const amount = z
  .union([z.string(), z.int().nonnegative()])
  .transform((value, context) => {
    if (typeof value === 'number') return BigInt(value)
    const number = /^\d+$/.test(value) ? BigInt(value) : tryFromQuantity(value)
    if (number !== undefined) return number
    context.addIssue({ code: 'custom', message: 'expected a whole number' })
    return z.NEVER
  })
  .meta({ description: 'whole number: QUANTITY, decimal digits, or JSON number' })

/** Answers true, as Hardhat does when something is done. */
export const doneResult: Result<unknown> = { schema: z.literal(true), encode: () => true }

/** Runs what may go back further than the chain can, and words the error. */
export async function goingBack<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof UserError) throw new RpcError('server', error.message)
    throw error
  }
}
