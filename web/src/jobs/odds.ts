/** The odds of a draw (D31), in numbers for a picture. */
import { drawnValue, type SelectionRange } from '../../../src/proof/vrfSelection.ts'
import { hexToBytes } from '../format/hex.ts'

/** Where a draw fell, from 0 to 1; undefined when its random value is none. */
export function placeOf(random: string, max: number): number | undefined {
  if (!/^[0-9a-f]{64}$/.test(random) || max <= 0) return undefined
  return Number(drawnValue(hexToBytes(random), max)) / max
}

/** The share of all draws that select the operator, from 0 to 1. */
export function partOf({ start, end, max }: SelectionRange): {
  readonly from: number
  readonly to: number
} {
  if (max <= 0) return { from: 0, to: 0 }
  return { from: Math.max(0, start / max), to: Math.min(1, end / max) }
}
