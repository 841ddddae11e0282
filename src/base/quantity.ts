/** QUANTITY of JSON-RPC (interface.md, "Resources and their fields"): 0x, no leading zeros, zero is 0x0. */
import type { Hex } from './hex.ts'

/** The QUANTITY text of a non-negative integer. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/

/** The integer of a QUANTITY, or undefined when the text is not one. */
export function tryFromQuantity(text: string): bigint | undefined {
  return QUANTITY.test(text) ? BigInt(text) : undefined
}
