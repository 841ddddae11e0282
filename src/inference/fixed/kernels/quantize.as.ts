// Activations as small integers (D130).
import { activationBytes } from './layout.as'
import { bitLength } from './fixedPoint.as'

@inline const ACTIVATION_BITS: i32 = 15

/** Number of significant bits of the largest of some Q24 numbers, an even number of them, without their signs. */
@inline function largestLength(x: usize, length: i32): i32 {
  let bits = i64x2.splat(0)
  const end = x + ((<usize>length) << 3)
  for (let at = x; at < end; at += 16) bits = v128.or(bits, i64x2.abs(v128.load(at)))
  return bitLength(i64x2.extract_lane(bits, 0) | i64x2.extract_lane(bits, 1))
}

/** The lower halves of four Q24 numbers divided by 2^shift, which is at most 32: all of a result that fits in them. */
@inline function shiftFour(x: usize, rounding: v128, shift: i32): v128 {
  const low = i64x2.shr_u(i64x2.add(v128.load(x), rounding), shift)
  const high = i64x2.shr_u(i64x2.add(v128.load(x, 16), rounding), shift)
  return v128.shuffle<i32>(low, high, 0, 2, 4, 6)
}

/**
 * Rounds a vector of Q24, a multiple of eight, to signed integers of `bits` bits (at least 9) and a common shift, which is
 * returned: x = q * 2^(shift - 24). Sixteen bits represent an activation more precisely than the eight of llama.cpp, and one
 * shift per vector makes a row's product exact.
 */
export function quantize(x: usize, length: i32, bits: i32, target: usize): i32 {
  // Q24 has at most 41 bits, so that the shift is at most 32.
  const shift = max<i32>(largestLength(x, length) - bits, 0)
  const rounding = i64x2.splat(shift == 0 ? 0 : (<i64>1) << (<i64>(shift - 1)))
  const most = i16x8.splat(<i16>(((<i32>1) << bits) - 1))
  const least = i16x8.neg(most)
  const end = x + ((<usize>length) << 3)
  while (x < end) {
    const numbers = i16x8.narrow_i32x4_s(
      shiftFour(x, rounding, shift),
      shiftFour(x + 32, rounding, shift),
    )
    v128.store(target, i16x8.min_s(i16x8.max_s(numbers, least), most))
    x += 64
    target += 16
  }
  return shift
}

/** -128 times the sum of 32 numbers. */
@inline function blockOffset(numbers: usize): i32 {
  const factor = i16x8.splat(-128)
  const sums = i32x4.add(
    i32x4.add(
      i32x4.dot_i16x8_s(v128.load(numbers), factor),
      i32x4.dot_i16x8_s(v128.load(numbers, 16), factor),
    ),
    i32x4.add(
      i32x4.dot_i16x8_s(v128.load(numbers, 32), factor),
      i32x4.dot_i16x8_s(v128.load(numbers, 48), factor),
    ),
  )
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  )
}

/** Rounds `count` vectors of Q24, which are contiguous, to activations in the format of layout.as.ts. */
export function quantizeActivations(x: usize, blocks: i32, count: i32, target: usize): void {
  for (let i = 0; i < count; i++) {
    const shift = quantize(x, blocks << 5, ACTIVATION_BITS, target)
    const offsets = target + ((<usize>blocks) << 6)
    for (let block = 0; block < blocks; block++)
      store<i32>(offsets + ((<usize>block) << 2), blockOffset(target + ((<usize>block) << 6)))
    store<i32>(offsets + ((<usize>blocks) << 2), shift)
    x += (<usize>blocks) << 8
    target += activationBytes(blocks)
  }
}
