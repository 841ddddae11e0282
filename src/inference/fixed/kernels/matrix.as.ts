// Products of weights and activations, the hot loop.
import { FRACTION, bitLength, clamp, scale, shiftRound } from './fixedPoint.as'

/**
 * Rounds a vector of Q24 to signed integers of `bits` bits and a common shift, which is returned: x = q * 2^(shift - 24). Sixteen
 * bits hold an activation more finely than the eight of llama.cpp, and one shift for a vector makes a row's product exact.
 */
export function quantize(x: usize, length: i32, bits: i32, target: usize): i32 {
  let most: u64 = 0
  for (let i = 0; i < length; i++) most = max<u64>(most, <u64>abs<i64>(load<i64>(x + (<usize>i << 3))))
  const shift = max<i32>(bitLength(most) - bits, 0)
  const limit = ((<i64>1) << <i64>bits) - 1
  for (let i = 0; i < length; i++) {
    const value = shiftRound(load<i64>(x + (<usize>i << 3)), shift)
    store<i16>(target + (<usize>i << 1), <i16>min<i64>(max<i64>(value, -limit), limit))
  }
  return shift
}

/** Sum over the blocks of scale * (32 weights . 32 activations): exact, below 2^62. */
@inline function dotRow(weights: usize, scales: usize, x: usize, blocks: i32): i64 {
  let sum = i64x2.splat(0)
  const end = scales + (<usize>blocks << 2)
  while (scales < end) {
    let dot = i32x4.dot_i16x8_s(v128.load_ext<i8>(weights), v128.load(x))
    dot = i32x4.add(dot, i32x4.dot_i16x8_s(v128.load_ext<i8>(weights, 8), v128.load(x, 16)))
    dot = i32x4.add(dot, i32x4.dot_i16x8_s(v128.load_ext<i8>(weights, 16), v128.load(x, 32)))
    dot = i32x4.add(dot, i32x4.dot_i16x8_s(v128.load_ext<i8>(weights, 24), v128.load(x, 48)))
    const factor = v128.load_splat<i32>(scales)
    sum = i64x2.add(sum, i64x2.extmul_low_i32x4_s(dot, factor))
    sum = i64x2.add(sum, i64x2.extmul_high_i32x4_s(dot, factor))
    weights += 32
    x += 64
    scales += 4
  }
  return i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1)
}

/**
 * Products of a matrix with `count` quantized vectors, `width` apart: results are Q24, `rows` apart. `shifts` holds the shift of
 * each vector. With `add`, results are added to what is there.
 */
export function multiplyMatrix(
  weights: usize, scales: usize, rows: i32, blocks: i32,
  x: usize, width: i32, shifts: usize, count: i32, target: usize, add: bool,
): void {
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < count; i++) {
      const sum = dotRow(weights, scales, x + (<usize>(i * width) << 1), blocks)
      // Weights are Q24, activations 2^(shift - 24).
      const value = scale(sum, load<i32>(shifts + (<usize>i << 2)) - FRACTION)
      const at = target + (<usize>(i * rows + row) << 3)
      store<i64>(at, add ? clamp(load<i64>(at) + value) : value)
    }
    weights += <usize>blocks << 5
    scales += <usize>blocks << 2
  }
}

/** One row of a matrix as Q24: an embedding. With `add`, it is added to what is there. */
export function readRow(weights: usize, scales: usize, row: i32, blocks: i32, target: usize, add: bool): void {
  weights += <usize>(row * blocks) << 5
  scales += <usize>(row * blocks) << 2
  for (let i = 0; i < blocks * 32; i++) {
    const value = <i64>load<i8>(weights + i) * <i64>load<i32>(scales + (<usize>(i >> 5) << 2))
    const at = target + (<usize>i << 3)
    store<i64>(at, clamp(add ? load<i64>(at) + value : value))
  }
}
