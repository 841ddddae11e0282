// Weighted means of the values in the cache, the last part of attention (D130).
//
// Functions take more than five parameters: within the module a record would be written to memory and read again.
import { clamp, shiftRound } from './fixedPoint.as'

/** Number of positions whose products fit in 32 bits: 64 * (2^13 - 1) * 2^12. */
@inline const STRETCH: i32 = 64

/** Adds lower + 2^12 * upper to four sums (i64). */
@inline function addJoined(sums: usize, lower: v128, upper: v128): void {
  const low = i64x2.extend_low_i32x4_s(lower)
  const high = i64x2.extend_high_i32x4_s(lower)
  const moved = i64x2.shl(i64x2.extend_low_i32x4_s(upper), 12)
  const movedHigh = i64x2.shl(i64x2.extend_high_i32x4_s(upper), 12)
  v128.store(sums, i64x2.add(v128.load(sums), i64x2.add(low, moved)))
  v128.store(sums, i64x2.add(v128.load(sums, 16), i64x2.add(high, movedHigh)), 16)
}

/** Numbers 0 to 3, and 4 to 7, of two positions in turn. */
@inline function lowPairs(one: v128, two: v128): v128 {
  return v128.shuffle<i16>(one, two, 0, 8, 1, 9, 2, 10, 3, 11)
}

@inline function highPairs(one: v128, two: v128): v128 {
  return v128.shuffle<i16>(one, two, 4, 12, 5, 13, 6, 14, 7, 15)
}

/** Stores the weighted sums (i64) of eight numbers of the values, of sixteen if `isWide`, for which weights are read once. */
@inline function sumValues(
  values: usize,
  stride: usize,
  count: i32,
  weights: usize,
  sums: usize,
  isWide: bool,
): void {
  memory.fill(sums, 0, isWide ? 128 : 64)
  let weight = weights
  for (let first = 0; first < count; first += STRETCH) {
    let lower0 = i32x4.splat(0)
    let lower1 = i32x4.splat(0)
    let lower2 = i32x4.splat(0)
    let lower3 = i32x4.splat(0)
    let upper0 = i32x4.splat(0)
    let upper1 = i32x4.splat(0)
    let upper2 = i32x4.splat(0)
    let upper3 = i32x4.splat(0)
    const end = min<i32>(count, first + STRETCH)
    for (let t = first; t < end; t += 2) {
      // The memory may end after the last one; the weight is zero then.
      const next = t + 1 < end ? values + stride : values
      const lower = v128.load_splat<i32>(weight)
      const upper = v128.load_splat<i32>(weight, 4)
      const low = lowPairs(v128.load(values), v128.load(next))
      const high = highPairs(v128.load(values), v128.load(next))
      lower0 = i32x4.add(lower0, i32x4.dot_i16x8_s(low, lower))
      lower1 = i32x4.add(lower1, i32x4.dot_i16x8_s(high, lower))
      upper0 = i32x4.add(upper0, i32x4.dot_i16x8_s(low, upper))
      upper1 = i32x4.add(upper1, i32x4.dot_i16x8_s(high, upper))
      if (isWide) {
        const low = lowPairs(v128.load(values, 16), v128.load(next, 16))
        const high = highPairs(v128.load(values, 16), v128.load(next, 16))
        lower2 = i32x4.add(lower2, i32x4.dot_i16x8_s(low, lower))
        lower3 = i32x4.add(lower3, i32x4.dot_i16x8_s(high, lower))
        upper2 = i32x4.add(upper2, i32x4.dot_i16x8_s(low, upper))
        upper3 = i32x4.add(upper3, i32x4.dot_i16x8_s(high, upper))
      }
      values += 2 * stride
      weight += 8
    }
    addJoined(sums, lower0, upper0)
    addJoined(sums + 32, lower1, upper1)
    if (isWide) {
      addJoined(sums + 64, lower2, upper2)
      addJoined(sums + 96, lower3, upper3)
    }
  }
}

/** Stores the means of the numbers of a head. */
@inline export function storeMeans(
  values: usize,
  stride: usize,
  count: i32,
  weights: usize,
  total: i64,
  topShift: i32,
  headSize: i32,
  target: usize,
): void {
  let i: i32 = 0
  for (; i + 16 <= headSize; i += 16)
    sumValues(values + ((<usize>i) << 1), stride, count, weights, target + ((<usize>i) << 3), true)
  if (i < headSize)
    sumValues(values + ((<usize>i) << 1), stride, count, weights, target + ((<usize>i) << 3), false)
  const end = target + ((<usize>headSize) << 3)
  for (let at = target; at < end; at += 8) store<i64>(at, mean(load<i64>(at), total, topShift))
}

/** sum / total * 2^shift. The sum is below 2^52, so ten more bits can be kept through the division. */
@inline function mean(sum: i64, total: i64, shift: i32): i64 {
  const quotient = (sum << 10) / total
  return clamp(shift >= 10 ? quotient << (<i64>(shift - 10)) : shiftRound(quotient, 10 - shift))
}
