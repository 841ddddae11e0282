// Activations as small integers.
import { activationBytes } from './layout.as'
import { bitLength, shiftRound } from './fixedPoint.as'

@inline const ACTIVATION_BITS: i32 = 15

/**
 * Rounds a vector of Q24 to signed integers of `bits` bits and a common shift, which is returned: x = q * 2^(shift -
 * 24). Sixteen bits represent an activation more precisely than the eight of llama.cpp, and one shift per vector makes
 * a row's product exact.
 */
export function quantize(x: usize, length: i32, bits: i32, target: usize): i32 {
  let most: u64 = 0
  for (let i = 0; i < length; i++)
    most = max<u64>(most, <u64>abs<i64>(load<i64>(x + ((<usize>i) << 3))))
  const shift = max<i32>(bitLength(most) - bits, 0)
  const limit = ((<i64>1) << (<i64>bits)) - 1
  for (let i = 0; i < length; i++) {
    const value = shiftRound(load<i64>(x + ((<usize>i) << 3)), shift)
    store<i16>(target + ((<usize>i) << 1), <i16>min<i64>(max<i64>(value, -limit), limit))
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
