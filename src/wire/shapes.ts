/** Shapes of single values on the wire, from which result schemas are composed (docs and tests read them). */
import { z } from 'zod'

/** QUANTITY: no leading zeros, lower case, zero is 0x0. */
export const quantityShape = z.string().regex(/^0x(?:0|[1-9a-f][0-9a-f]*)$/)

/** DATA of any length, lower case. */
export const dataShape = z.string().regex(/^0x(?:[0-9a-f]{2})*$/)

/** DATA of exactly `size` bytes, lower case. */
export function fixedShape(size: number): z.ZodType<string> {
  return z.string().regex(new RegExp(`^0x[0-9a-f]{${size * 2}}$`))
}

/** A list that is always empty. An empty tuple would not be valid JSON Schema. */
export const emptyListShape = z.array(z.unknown()).max(0)

/** DATA of the usual sizes: an address, a hash, a logs bloom. */
export const addressShape = fixedShape(20)
export const hashShape = fixedShape(32)
export const bloomShape = fixedShape(256)
