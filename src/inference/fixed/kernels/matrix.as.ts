// Products of weights and activations, the hot loop.
import { GROUP, scaleAddress, weightsAddress } from './layout.as'
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

/** The sum of four products of eight 16-bit numbers each, in four lanes that are still to be added. */
@inline function dot32(
  w0: v128, w1: v128, w2: v128, w3: v128,
  x0: v128, x1: v128, x2: v128, x3: v128,
): v128 {
  return i32x4.add(
    i32x4.add(i32x4.dot_i16x8_s(w0, x0), i32x4.dot_i16x8_s(w1, x1)),
    i32x4.add(i32x4.dot_i16x8_s(w2, x2), i32x4.dot_i16x8_s(w3, x3)),
  )
}

/** [a0 + a2, b0 + b2, a1 + a3, b1 + b3] */
@inline function addHalves(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
}

@inline function storeProduct(at: usize, sum: i64, shift: i32, add: bool): void {
  const value = scale(sum, shift)
  store<i64>(at, add ? clamp(load<i64>(at) + value) : value)
}

/**
 * Products of a matrix with `count` quantized vectors, `width` apart: results are Q24, `rows` apart. `shifts` holds the shift of
 * each vector. With `add`, results are added to what is there. Per row, the sum over the blocks of scale * (weights .
 * activations) is exact, below 2^62; it is rounded once.
 */
export function multiplyMatrix(
  matrix: usize, rows: i32, blocks: i32,
  x: usize, width: i32, shifts: usize, count: i32, target: usize, add: bool,
): void {
  const groupSize = <usize>blocks * GROUP
  for (let row = 0; row < rows; row += 4) {
    for (let i = 0; i < count; i++) {
      let a = i64x2.splat(0)
      let b = i64x2.splat(0)
      let group = matrix
      let at = x + (<usize>(i * width) << 1)
      const end = matrix + groupSize
      while (group < end) {
        const x0 = v128.load(at)
        const x1 = v128.load(at, 16)
        const x2 = v128.load(at, 32)
        const x3 = v128.load(at, 48)
        // Constant offsets cost no instruction.
        const first = dot32(
          v128.load_ext<i8>(group, 16), v128.load_ext<i8>(group, 24),
          v128.load_ext<i8>(group, 32), v128.load_ext<i8>(group, 40),
          x0, x1, x2, x3,
        )
        const second = dot32(
          v128.load_ext<i8>(group, 48), v128.load_ext<i8>(group, 56),
          v128.load_ext<i8>(group, 64), v128.load_ext<i8>(group, 72),
          x0, x1, x2, x3,
        )
        const third = dot32(
          v128.load_ext<i8>(group, 80), v128.load_ext<i8>(group, 88),
          v128.load_ext<i8>(group, 96), v128.load_ext<i8>(group, 104),
          x0, x1, x2, x3,
        )
        const fourth = dot32(
          v128.load_ext<i8>(group, 112), v128.load_ext<i8>(group, 120),
          v128.load_ext<i8>(group, 128), v128.load_ext<i8>(group, 136),
          x0, x1, x2, x3,
        )
        const low = addHalves(first, second)
        const high = addHalves(third, fourth)
        const dots = i32x4.add(v128.shuffle<i32>(low, high, 0, 1, 4, 5), v128.shuffle<i32>(low, high, 2, 3, 6, 7))
        const factors = v128.load(group)
        a = i64x2.add(a, i64x2.extmul_low_i32x4_s(dots, factors))
        b = i64x2.add(b, i64x2.extmul_high_i32x4_s(dots, factors))
        group += GROUP
        at += 64
      }
      // Weights are Q24, activations 2^(shift - 24).
      const shift = load<i32>(shifts + (<usize>i << 2)) - FRACTION
      const to = target + (<usize>(i * rows + row) << 3)
      storeProduct(to, i64x2.extract_lane(a, 0), shift, add)
      if (row + 1 < rows) storeProduct(to + 8, i64x2.extract_lane(a, 1), shift, add)
      if (row + 2 < rows) storeProduct(to + 16, i64x2.extract_lane(b, 0), shift, add)
      if (row + 3 < rows) storeProduct(to + 24, i64x2.extract_lane(b, 1), shift, add)
    }
    matrix += groupSize
  }
}

/** One row of a matrix as Q24: an embedding. With `add`, it is added to what is there. */
export function readRow(matrix: usize, row: i32, blocks: i32, target: usize, add: bool): void {
  for (let block = 0; block < blocks; block++) {
    const factor = <i64>load<i32>(scaleAddress(matrix, row, block, blocks))
    const weights = weightsAddress(matrix, row, block, blocks)
    for (let i: usize = 0; i < 32; i++) {
      const value = <i64>load<i8>(weights + i) * factor
      store<i64>(target, clamp(add ? load<i64>(target) + value : value))
      target += 8
    }
  }
}
