/** The rotary angles of a model: which table holds for which layer and length of the context. */
import { createRopeTable, type RopeTable } from './rope.ts'
import type { ModelShape } from './shape.ts'

/** What angles are divided by, see `createRopeTable`: always, or up to and beyond the original length of the context. */
export type RopeFactors = {
  readonly always?: readonly number[]
  readonly short?: readonly number[]
  readonly long?: readonly number[]
}

/** Tables of the layers that see every position, and of those with a window. */
export type RopeTables = { readonly full: RopeTable; readonly windowed: RopeTable }

/** Tables for a sequence of at most so many tokens. The same tokens have other keys in another table. */
export type RopeChoice = (capacity: number) => RopeTables

/** Makes each table when it is needed first. */
export function createRopeChoice(shape: ModelShape, factors: RopeFactors): RopeChoice {
  const { ropeSize, ropeBase, ropeDivisor, ropeGain, windowRopeBase, architecture } = shape
  const table = (base: number, divisor: number, by?: readonly number[]): RopeTable =>
    createRopeTable(
      ropeSize,
      base,
      by ?? Array.from({ length: ropeSize / 2 }, () => divisor),
      ropeGain,
    )
  const windowed =
    architecture.windowRopeBase === undefined ? undefined : table(windowRopeBase, 1, factors.always)
  const pair = (by?: readonly number[]): RopeTables => {
    const full = table(ropeBase, ropeDivisor, by)
    return { full, windowed: windowed ?? full }
  }
  const short = pair(factors.always ?? factors.short)
  let long: RopeTables | undefined
  return (capacity) => {
    if (factors.long === undefined || capacity <= shape.shortContext) return short
    long ??= pair(factors.long)
    return long
  }
}
