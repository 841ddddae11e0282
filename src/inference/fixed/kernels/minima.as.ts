// What the minima of blocks add to a product: each times the sum of its block's activations (D119).
import { activationBytes } from './layout.as'
import { FRACTION, clamp, scale } from './fixedPoint.as'

/** Sum over the blocks of minimum * -128 * (sum of activations): below 2^62, like the products of a row. */
@inline function rowSum(minima: usize, offsets: usize, blocks: i32): i64 {
  let sum = i64x2.splat(0)
  let block = 0
  for (; block + 4 <= blocks; block += 4) {
    const at = (<usize>block) << 2
    const left = v128.load(minima + at)
    const right = v128.load(offsets + at)
    sum = i64x2.add(sum, i64x2.extmul_low_i32x4_s(left, right))
    sum = i64x2.add(sum, i64x2.extmul_high_i32x4_s(left, right))
  }
  let rest = i64x2.extract_lane(sum, 0) + i64x2.extract_lane(sum, 1)
  for (; block < blocks; block++) {
    const at = (<usize>block) << 2
    rest += <i64>load<i32>(minima + at) * <i64>load<i32>(offsets + at)
  }
  return rest
}

/** Adds the minima's part to the products of a matrix with `count` vectors of activations. */
export function addMinima(
  minima: usize,
  rows: i32,
  blocks: i32,
  x: usize,
  count: i32,
  target: usize,
): void {
  for (let i = 0; i < count; i++) {
    const offsets = x + ((<usize>blocks) << 6)
    const shift = load<i32>(offsets + ((<usize>blocks) << 2)) - FRACTION
    let row = minima
    for (let j = 0; j < rows; j++) {
      const value = scale(-(rowSum(row, offsets, blocks) >> 7), shift)
      store<i64>(target, clamp(load<i64>(target) + value))
      target += 8
      row += (<usize>blocks) << 2
    }
    x += activationBytes(blocks)
  }
}

/** Adds the minima of one row to its 32 * blocks numbers: an embedding. */
export function addRowMinima(minima: usize, row: i32, blocks: i32, target: usize): void {
  let at = minima + ((<usize>row * blocks) << 2)
  for (let block = 0; block < blocks; block++) {
    const value = <i64>load<i32>(at)
    for (let i = 0; i < 32; i++) {
      store<i64>(target, clamp(load<i64>(target) + value))
      target += 8
    }
    at += 4
  }
}
