// Sums of products (i64) of sixteen rows: the last step of a product, which rounds each once.
import { LIMIT, clamp, scale } from './fixedPoint.as'

/** Bytes of the sums of sixteen rows and one vector. */
@inline export const SUMS: usize = 128

/** Largest value of an i64. A sum less this, as an unsigned number, shifts right without its sign. */
@inline const BIAS: i64 = i64.MIN_VALUE

/** Saturates both lanes at the bound. */
@inline function clampPair(values: v128): v128 {
  const most = i64x2.splat(LIMIT)
  const least = i64x2.splat(-LIMIT)
  const below = v128.bitselect(most, values, i64x2.gt_s(values, most))
  return v128.bitselect(least, below, i64x2.gt_s(least, below))
}

/**
 * Rounds the sums of `wanted` rows, below 2^62, to sum * 2^shift within the bound, once each, and writes or adds them to the
 * target.
 */
export function storeSums(sums: usize, wanted: i32, shift: i32, target: usize, add: bool): void {
  let i = 0
  if (shift < 0) {
    // Rounds halves upwards; with the bias, V8 has a single instruction for the shift.
    const rounding = i64x2.splat(((<i64>1) << (<i64>(-shift - 1))) + BIAS)
    const bias = i64x2.splat(<i64>(<u64>BIAS >> <u64>-shift))
    for (; i + 2 <= wanted; i += 2) {
      const moved = i64x2.shr_u(i64x2.add(v128.load(sums), rounding), -shift)
      const values = clampPair(i64x2.sub(moved, bias))
      v128.store(target, add ? clampPair(i64x2.add(v128.load(target), values)) : values)
      sums += 16
      target += 16
    }
  }
  for (; i < wanted; i++) {
    const value = scale(load<i64>(sums), shift)
    store<i64>(target, add ? clamp(load<i64>(target) + value) : value)
    sums += 8
    target += 8
  }
}
