// Attention of one head. Queries, keys and values are 13-bit integers with a shift per head and position: 128 products stay
// within 32 bits per lane.
import { bitLength, clamp, shiftRound } from './fixedPoint.as'
import { powerOfHalf } from './exponential.as'

@inline function dot(a: usize, b: usize, length: i32): i64 {
  let sum = i32x4.splat(0)
  for (let i = 0; i < length; i += 8) {
    const at = <usize>i << 1
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(a + at), v128.load(b + at)))
  }
  return <i64>i32x4.extract_lane(sum, 0) + <i64>i32x4.extract_lane(sum, 1)
    + <i64>i32x4.extract_lane(sum, 2) + <i64>i32x4.extract_lane(sum, 3)
}

/**
 * The mean of the values of `count` positions, weighted by softmax(query . key * factor). Keys and values of one position are
 * `stride` numbers apart, their shifts `shiftStride`. `factor` is log2(e) / sqrt(headSize) as Q28; `scores` is room for `count`
 * i64. The result is Q24.
 */
export function attend(
  query: usize, queryShift: i32, keys: usize, keyShifts: usize, values: usize, valueShifts: usize,
  stride: i32, shiftStride: i32, headSize: i32, count: i32, factor: i64, scores: usize, target: usize,
): void {
  let most = i64.MIN_VALUE
  let topShift = 0
  for (let t = 0; t < count; t++) {
    const shift = load<i32>(keyShifts + (<usize>(t * shiftStride) << 2))
    const product = dot(query, keys + (<usize>(t * stride) << 1), headSize) * factor
    // Q28 * 2^(shifts - 48) to Q20.
    const score = shiftRound(product, 56 - queryShift - shift)
    store<i64>(scores + (<usize>t << 3), score)
    most = max<i64>(most, score)
    topShift = max<i32>(topShift, load<i32>(valueShifts + (<usize>(t * shiftStride) << 2)))
  }
  let total: i64 = 0
  for (let t = 0; t < count; t++) {
    const at = scores + (<usize>t << 3)
    const weight = powerOfHalf(most - load<i64>(at)) >> 6
    total += weight
    // All values are taken to the largest shift.
    store<i64>(at, weight >> <i64>(topShift - load<i32>(valueShifts + (<usize>(t * shiftStride) << 2))))
  }
  for (let i = 0; i < headSize; i += 8) {
    let a = i64x2.splat(0)
    let b = i64x2.splat(0)
    let c = i64x2.splat(0)
    let d = i64x2.splat(0)
    let value = values + (<usize>i << 1)
    for (let t = 0; t < count; t++) {
      const row = v128.load(value)
      const low = i32x4.extend_low_i16x8_s(row)
      const high = i32x4.extend_high_i16x8_s(row)
      // A weight is below 2^25: its lower half is all of it.
      const weight = v128.load_splat<i32>(scores + (<usize>t << 3))
      a = i64x2.add(a, i64x2.extmul_low_i32x4_s(low, weight))
      b = i64x2.add(b, i64x2.extmul_high_i32x4_s(low, weight))
      c = i64x2.add(c, i64x2.extmul_low_i32x4_s(high, weight))
      d = i64x2.add(d, i64x2.extmul_high_i32x4_s(high, weight))
      value += <usize>stride << 1
    }
    const at = target + (<usize>i << 3)
    storeMeans(at, a, total, topShift)
    storeMeans(at + 16, b, total, topShift)
    storeMeans(at + 32, c, total, topShift)
    storeMeans(at + 48, d, total, topShift)
  }
}

@inline function storeMeans(at: usize, sums: v128, total: i64, shift: i32): void {
  store<i64>(at, mean(i64x2.extract_lane(sums, 0), total, shift))
  store<i64>(at, mean(i64x2.extract_lane(sums, 1), total, shift), 8)
}

/** sum / total * 2^shift. The sum is below 2^52, so ten more bits can be kept through the division. */
@inline function mean(sum: i64, total: i64, shift: i32): i64 {
  const quotient = (sum << 10) / total
  return clamp(shift >= 10 ? quotient << <i64>(shift - 10) : shiftRound(quotient, 10 - shift))
}
